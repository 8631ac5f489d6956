// One selection moves all views. Somebody has found the guilty merge and looks for the line: the history of a[2], its
// last entry, and then the event, the state up to it and the source are that entry's.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];

test("the last write in a history moves the event list, the state and the source", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { tree, details, source } = views(page);
  const tab = (name) => details.getByRole("tab", { name });
  const panel = details.getByRole("tabpanel");

  // From sort, whose result is wrong: its array, the element that should be 7.
  await tree.getByRole("row", { name: /sort#1/ }).click();
  await tab("State").click();
  await panel.getByRole("button", { name: "Parts of a" }).click();
  const element = panel.getByRole("row").filter({ hasText: /^\W*(a)?\[2\]/ }).first();
  await element.hover();
  await element.getByRole("button", { name: /history/i }).click();

  await tab("History").and(page.locator("[aria-selected=true]")).waitFor();
  const entries = panel.getByRole("option");
  await until(() => entries.count(), (count) => count === 4, "four writes to a[2]");
  const values = await entries.locator(".text").allTextContents();
  assert.deepEqual(values.map((value) => value.trim()), ["1", "1", "7", "9"]);
  await entries.last().click();

  // The call that wrote it is selected in the tree, though nobody had opened sort there.
  const chosen = tree.locator("[aria-selected=true]");
  await until(() => chosen.textContent(), (text) => text?.includes("merge"), "the call that wrote it");
  assert.ok((await chosen.textContent())?.includes("merge"));
  await tab("Events").click();
  const event = panel.locator("[aria-selected=true]");
  await until(() => event.textContent(), (text) => /\[2\] = 9/.test(text ?? ""), "the event");
  const seen = await event.evaluate((row) => {
    const { left, top } = row.getBoundingClientRect();
    return row.contains(document.elementFromPoint(left + 20, top + 8));
  });
  assert.ok(seen, "the event is in sight");
  // Its line is the defect.
  const line = source.locator(".cm-line.current");
  await until(() => line.textContent(), (text) => text?.includes("a[r++] = left[l++]"), "the line");
  // The state is that right after the event: r does not count on before the statement ends.
  await tab("State").click();
  const row = (name) => panel.getByRole("row").filter({ hasText: new RegExp(`^\\W*${name}\\b`) }).first();
  await until(() => row("a").textContent(), (text) => /1, 4, 9, 7/.test(text ?? ""), "the state up to the event");
  quiet(page);
});
