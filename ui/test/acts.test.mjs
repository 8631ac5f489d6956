// Nothing answers a question but a clear act: not the palette, not what is typed for it, not a key that is held down, not the
// second click of two. And whatever is looked for, the page stays where it is.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const begin = (options = {}) => open("examples", "BottomUpMergeSort", { args: ARGS, ...options });
const asked = (page) => views(page).question.locator(".put .subject");
const answered = (page) => page.evaluate(async () => (await (await fetch("api/session")).json()).answered);
const search = (page) => page.getByRole("combobox");

/** Nothing was said, and nothing is on its way. */
async function unanswered(page, before) {
  await page.waitForTimeout(300);
  assert.equal(await answered(page), before);
}

/** Nothing but the panes scrolls. */
async function inPlace(page) {
  const place = await page.evaluate(() => ({ top: scrollY, over: document.scrollingElement.scrollHeight - innerHeight }));
  assert.deepEqual(place, { top: 0, over: 0 });
  assert.ok(await page.getByRole("heading", { name: "Inquest" }).isVisible());
  const bar = await page.locator("header.bar").boundingBox();
  assert.equal(bar.y, 0);
}

test("the palette chooses nothing by itself, and has no answers", async () => {
  const { page } = await begin();
  await page.keyboard.press("Control+k");
  await search(page).waitFor();
  await page.keyboard.press("Enter");
  await unanswered(page, 0);
  assert.equal(await page.getByRole("option", { selected: true }).count(), 0);
  for (const word of ["right", "wrong", "trust", "input is already"]) {
    await search(page).fill(word);
    await page.keyboard.press("Enter");
    await unanswered(page, 0);
    if ((await search(page).count()) === 0) await page.keyboard.press("Control+k");
  }
  quiet(page);
});

test("what is typed right after Ctrl+K is typed into the palette", async () => {
  const { page } = await begin();
  await page.evaluate(() => {
    const press = (key, more = {}) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
    press("k", { ctrlKey: true });
    for (const key of ["y", "n", "d"]) press(key);
  });
  await until(() => search(page).inputValue(), (text) => text === "ynd", "what was typed");
  await unanswered(page, 0);
  await page.keyboard.press("Escape");
  // As fast as a keyboard can.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("yit");
  await until(() => search(page).inputValue(), (text) => text === "yit", "what was typed");
  await unanswered(page, 0);
  quiet(page);
});

test("what is typed right after the key of a field is typed into the field", async () => {
  const { page } = await begin();
  await page.evaluate(() => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    press("f");
    press("y");
  });
  await until(() => page.locator("#only-about").inputValue(), (text) => text === "y", "what was typed");
  await page.locator("body").press("Escape");
  await page.locator("button[data-command=wrong]").focus();
  await page.evaluate(() => {
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    press("N");
    press("y");
  });
  await until(() => page.getByRole("dialog").getByRole("textbox").inputValue(), (text) => text === "y", "what was typed");
  await unanswered(page, 0);
  quiet(page);
});

test("a key that is held down, and the second of two clicks, say nothing", async () => {
  const { page } = await begin();
  const before = await asked(page).textContent();
  await page.keyboard.down("n");
  await until(() => asked(page).textContent(), (text) => text !== before, "another question");
  for (let times = 0; times < 5; times += 1) await page.keyboard.down("n");
  await page.keyboard.up("n");
  await unanswered(page, 1);
  await page.locator("button[data-command=unknown]").focus();
  const now = await asked(page).textContent();
  await page.keyboard.down("Enter");
  await until(() => asked(page).textContent(), (text) => text !== now, "another question");
  for (let times = 0; times < 5; times += 1) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await unanswered(page, 2);
  const box = await page.locator("button[data-command=right]").boundingBox();
  await page.mouse.move(box.x + 10, box.y + 10);
  await page.mouse.down();
  await page.mouse.up();
  await until(() => answered(page), (count) => count === 3, "one answer");
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await unanswered(page, 3);
  quiet(page);
});

test("the menu of a row begins with what says nothing", async () => {
  const { page } = await begin();
  const { tree } = views(page);
  await tree.getByRole("row", { name: /sort#1/ }).click();
  await page.keyboard.press("ContextMenu");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Enter");
  await unanswered(page, 0);
  quiet(page);
});

test("the page stays where it is, whatever is gone to", async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }]) {
    const { page } = await begin({ context: { viewport } });
    await inPlace(page);
    for (const name of ["merge#3", "main#1", "sort#1"]) {
      await page.keyboard.press("Control+k");
      await search(page).fill(name);
      await page.keyboard.press("Enter");
      await until(() => search(page).count(), (count) => count === 0, "the palette is closed");
      await until(() => views(page).details.locator("strong").first().textContent(), (text) => text?.includes(name), `${name} is shown`);
      await inPlace(page);
    }
    await page.keyboard.press("s");
    await views(page).question.getByRole("button", { name: /Show less/ }).waitFor();
    await inPlace(page);
    for (const tab of ["Events", "History", "Origin", "State"]) {
      await views(page).details.getByRole("tab", { name: tab }).click();
      await inPlace(page);
    }
    await page.keyboard.press("y");
    await views(page).question.locator(".verdict").waitFor();
    await inPlace(page);
    quiet(page);
  }
});
