// The source view: what ran in the selected call, the way from a line to its events, and what is shown where there is no
// source.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { folder, inquest, java, open, quiet, root, run, serve, until, views, visit } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const hash = (page, name) => page.evaluate((name) => new URLSearchParams(location.hash.slice(1)).get(name), name);

async function choose(page, name) {
  const { tree, source } = views(page);
  const row = tree.getByRole("row", { name });
  if ((await row.count()) === 0) await tree.getByRole("row").first().press("*");
  await row.first().click();
  await until(() => source.getAttribute("aria-busy"), (busy) => busy !== "true", "the source");
}

test("the whole file is there, with the lines that ran in this call", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { source } = views(page);
  await choose(page, /sort#1/);
  const line = (text) => source.locator(".cm-line").filter({ hasText: text }).first();
  await until(() => line("sort(int[] a)").count(), (count) => count === 1, "the head of the method");
  await until(() => line("for (int run = 1").getAttribute("class"), (names) => /\bran\b/.test(names ?? ""), "a line that ran");
  // Another method's lines are there, and say nothing of this call.
  assert.doesNotMatch((await line("public static void main").getAttribute("class")) ?? "", /ran|idle/);
  // The loop's line is come to once, and once after each of its two rounds.
  assert.ok((await source.locator(".beside.ran").filter({ hasText: "3×" }).count()) > 0);
  quiet(page);
});

test("a line leads to its events, forwards and backwards, by mouse and by keyboard", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { source } = views(page);
  await choose(page, /sort#1/);
  const line = source.locator(".cm-line.ran").filter({ hasText: "for (int run = 1" });
  const times = [];
  for (const at of [0, 1, 2]) {
    await line.click({ position: { x: 60, y: 8 } });
    times.push(await until(() => hash(page, "time"), (time) => time !== null && time !== times[at - 1], "an event"));
  }
  assert.deepEqual(times, [...times].sort((a, b) => a - b));
  await until(() => source.locator(".cm-line.current").textContent(), (text) => text?.includes("for (int run"), "its line");
  await line.click({ position: { x: 60, y: 8 }, modifiers: ["Shift"] });
  await until(() => hash(page, "time"), (time) => time === times[1], "the event before");
  // The same by keys: the cursor is where the mouse was last.
  await source.getByRole("textbox").press("Enter");
  await until(() => hash(page, "time"), (time) => time === times[2], "the next one by Enter");
  await source.getByRole("textbox").press("Shift+Enter");
  await until(() => hash(page, "time"), (time) => time === times[1], "back by Shift and Enter");
  quiet(page);
});

test("stepping keeps the editor, and a line in sight stays where it is", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { source } = views(page);
  await choose(page, /sort#1/);
  await until(() => source.locator(".cm-line.ran").count(), (count) => count > 3, "lines that ran");
  await source.locator(".cm-content").evaluate((element) => (element.dataset.kept = "yes"));
  const top = () => source.locator(".cm-scroller").evaluate((element) => element.scrollTop);
  const before = await top();
  let time = null;
  for (const _ of [1, 2]) {
    await page.keyboard.press("F11");
    time = await until(() => hash(page, "time"), (now) => now !== time, "the next event");
  }
  await until(() => source.locator(".cm-line.current").count(), (count) => count === 1, "the current line");
  assert.equal(await source.locator(".cm-content").getAttribute("data-kept"), "yes");
  assert.equal(await top(), before);
  quiet(page);
});

test("without sources there is bytecode, and how to give sources", async () => {
  // Where it ran there is nothing but the class.
  const place = folder("classes");
  cpSync(path.join(root, "target/java/examples/BottomUpMergeSort.class"), path.join(place, "BottomUpMergeSort.class"));
  run(inquest, ["record", "-q", "-o", "recording", "--", java(), "-cp", ".", "BottomUpMergeSort"], { cwd: place });
  const server = await serve([path.join(place, "recording"), "--strategy", "top-down"], { cwd: place });
  const page = await visit(server.address);
  const { source } = views(page);
  await choose(page, /sort#1/);
  const text = await until(() => source.textContent(), (text) => /newarray/.test(text ?? ""), "instructions");
  assert.match(text, /No source \(BottomUpMergeSort\.java\) was found: this is the bytecode\..*--source PATH/);
  // An instruction leads to its events as a line does.
  await source.locator(".cm-line.ran").filter({ hasText: "invokestatic BottomUpMergeSort.distribute" }).click({ position: { x: 60, y: 8 } });
  await until(() => source.locator(".cm-line.current").textContent(), (text) => text?.includes("distribute"), "the instruction");
  quiet(page);
});

test("a call into a library is shown where the program made it", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { source } = views(page);
  await choose(page, /Arrays\.toString#1/);
  await until(() => source.locator(".cm-line.current").textContent(), (text) => text?.includes("Arrays.toString(a)"), "the line of the call");
  assert.match((await source.textContent()) ?? "", /a library was called on line 11 of BottomUpMergeSort\.main#1/);
  quiet(page);
});
