// The timeline: flames that can be chosen and zoomed into, by mouse and by keyboard, marks that say what they are.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const chosen = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("call"));

async function timeline() {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const view = views(page).timeline;
  const canvas = view.getByRole("application", { name: "Threads and their calls over time" });
  const told = () => page.locator("#timeline-told").textContent();
  await until(told, (text) => /main: \d+ calls, 0 exceptions, 1 time output/.test(text ?? ""), "what is on it");
  const said = () => view.locator("[aria-live]").textContent();
  const range = () => view.locator(".range").textContent();
  return { page, view, canvas, told, said, range };
}

test("a flame is chosen by a click and zoomed to by two, and All shows the run again", async () => {
  const { page, view, canvas, range } = await timeline();
  const whole = await range();
  const { width } = await canvas.boundingBox();
  // Below the marks: main, over the whole width; below it what main called.
  await canvas.click({ position: { x: width / 2, y: 12 + 7 } });
  await until(() => chosen(page), (call) => call === "1", "main");
  await canvas.click({ position: { x: width / 2, y: 12 + 14 + 7 } });
  const sort = await until(() => chosen(page), (call) => call !== "1", "sort");
  assert.equal(await page.locator(".overview:not(.none)").count(), 0);
  await canvas.dblclick({ position: { x: width / 2, y: 12 + 14 + 7 } });
  await until(range, (text) => text !== whole, "a shorter stretch");
  assert.equal(await page.locator(".overview:not(.none)").count(), 1);
  assert.equal(await chosen(page), sort);
  await view.getByRole("button", { name: "All" }).click();
  await until(range, (text) => text === whole, "the whole run");
  // A range that is drawn.
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + width * 0.2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + width * 0.6, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await until(range, (text) => text !== whole, "the drawn range");
  quiet(page);
});

test("the keyboard goes from call to call, says them, zooms and chooses", async () => {
  const { page, canvas, said, range } = await timeline();
  const whole = await range();
  await canvas.focus();
  await page.keyboard.press("ArrowUp");
  await until(said, (text) => text !== "", "something is said");
  for (const _ of [1, 2]) await page.keyboard.press("ArrowUp");
  await until(said, (text) => /prints \[1, 4, 9, 7\]/.test(text ?? ""), "the mark, with what was printed");
  await page.keyboard.press("ArrowDown");
  await until(said, (text) => /BottomUpMergeSort\.main/.test(text ?? ""), "main");
  await page.keyboard.press("Enter");
  await until(() => chosen(page), (call) => call === "1", "main is chosen");
  await page.keyboard.press("ArrowDown");
  await until(said, (text) => !/\.main/.test(text ?? ""), "a call of main");
  await page.keyboard.press("z");
  await until(range, (text) => text !== whole, "zoomed to it");
  await page.keyboard.press("Home");
  await until(range, (text) => text === whole, "all of it");
  await page.keyboard.press("+");
  await until(range, (text) => text !== whole, "zoomed by plus");
  quiet(page);
});

test("a wheel with Ctrl zooms, and a few levels take little room", async () => {
  const { page, view, canvas, range } = await timeline();
  const whole = await range();
  const { height } = await view.boundingBox();
  assert.ok(height < 120, `${height} for four levels`);
  await canvas.hover({ position: { x: 300, y: 20 } });
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await until(range, (text) => text !== whole, "a shorter stretch");
  await view.getByRole("button", { name: "To the selection" }).click();
  await view.getByRole("button", { name: "Zoom out" }).click();
  quiet(page);
});
