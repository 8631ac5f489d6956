// On a small laptop's screen: names, values and the question have the room that there is.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const begin = async () => {
  const opened = await open("examples", "BottomUpMergeSort", { args: ARGS, context: { viewport: { width: 1024, height: 768 } } });
  await opened.page.getByRole("button", { name: "Got it" }).click();
  return opened;
};
const widthOf = async (locator) => (await locator.boundingBox())?.width ?? 0;
const heightOf = async (locator) => (await locator.boundingBox())?.height ?? 0;

test("of a row's name the class gives way, and not what is called", async () => {
  const { page } = await begin();
  const { tree } = views(page);
  await tree.getByRole("row", { name: /sort#1/ }).click();
  await page.keyboard.press("ArrowRight");
  const name = tree.getByRole("row", { name: /merge#1/ }).first().locator(".method");
  await name.waitFor();
  const cut = () => name.evaluate((element) => element.scrollWidth - element.clientWidth);
  assert.equal(await cut(), 0, "merge is readable");
  assert.equal(await name.textContent(), "merge");
  quiet(page);
});

test("what is asked stays in sight beside another call, and the answers take two rows", async () => {
  const { page } = await begin();
  const { tree, question } = views(page);
  await tree.getByRole("row", { name: /sort#1/ }).click();
  await page.keyboard.press("ArrowRight");
  await tree.getByRole("row", { name: /merge#3/ }).first().click();
  await question.getByText("Not asked, but selected").waitFor();
  assert.ok((await heightOf(question.locator(".inquiry"))) >= 100, "the question");
  assert.ok((await heightOf(question.locator(".say"))) <= 90, "the answers");
  quiet(page);
});

test("values of a history and of an origin have the whole width", async () => {
  const { page } = await begin();
  const { tree, details } = views(page);
  await tree.getByRole("row", { name: /sort#1/ }).click();
  await page.keyboard.press("ArrowRight");
  await tree.getByRole("row", { name: /merge#3/ }).first().click();
  for (const tab of ["Origin", "History"]) {
    await details.getByRole("tab", { name: tab }).click();
    await until(() => details.getByRole("option").count(), (count) => count > 0, `rows of ${tab}`);
    const row = details.getByRole("option").first();
    const [all, text] = [await widthOf(row), await widthOf(row.locator(".text"))];
    assert.ok(text > 0.7 * all, `${tab}: ${text} of ${all} px`);
  }
  quiet(page);
});
