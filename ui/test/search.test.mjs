// Search leads to what was typed, and a look for an origin begins with what came out of the call.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const begin = () => open("examples", "BottomUpMergeSort", { args: ARGS });
test("Enter goes to what was typed, also before it was found", async () => {
  const { page } = await begin();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("BottomUpMergeSort.merge#2");
  await page.keyboard.press("Enter");
  await until(() => views(page).details.locator("strong").first().textContent(), (text) => text?.includes("merge#2"), "the call");
  quiet(page);
});

test("origin, history and what is missing begin with what came out of the call", async () => {
  const { page } = await begin();
  const { tree, details } = views(page);
  await tree.getByRole("row", { name: /sort#1/ }).click();
  await page.keyboard.press("ArrowRight");
  await tree.getByRole("row", { name: /merge#3/ }).first().click();
  await details.getByRole("tab", { name: "Origin" }).click();
  await until(() => details.getByRole("option").count(), (count) => count > 0, "where it came from");
  assert.match((await details.getByRole("tabpanel").locator("h3").first().textContent()) ?? "", /int\[\]@\d+\[\d\]/);
  await details.getByRole("tab", { name: "History" }).click();
  await until(() => details.getByRole("option").count(), (count) => count > 0, "its writes");
  await until(() => details.locator("figure.graph svg").getAttribute("aria-label"), (text) => /numbers from/.test(text ?? ""), "a graph of numbers");
  await details.getByRole("tab", { name: "Missing" }).click();
  await until(() => details.getByRole("tabpanel").locator("h3").count(), (count) => count > 0, "what could have happened to it", 20_000);
  quiet(page);
});
