// A worked example from the opening of the page to the guilty line: once with the mouse alone, once with the keyboard
// alone. The answers are those of somebody who knows how merge sort works.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const ANSWERS = [
  ["sort#1", "n"],
  ["distribute#1", "y"],
  ["merge#1", "y"],
  ["merge#2", "y"],
  ["distribute#2", "y"],
  ["merge#3", "n"],
];

/** Answers every question as `say` does it, and reads each before. */
async function debug(page, say) {
  const { question, tree } = views(page);
  for (const [call, answer] of ANSWERS) {
    const row = tree.locator(".row.asked");
    // This very call: until the server has taken an answer, the last question stands there and takes no other.
    await until(() => row.textContent(), (text) => text?.includes(`.${call}(`), `the question about ${call}`);
    await until(() => question.textContent(), (text) => text.includes("Is this right?"), "a question");
    await say(answer);
  }
  const heading = question.getByRole("heading").first();
  await until(() => heading.textContent(), (text) => text?.includes("BottomUpMergeSort.merge"), "the verdict");
}

async function guiltyLines(page) {
  const lines = views(page).source.locator(".cm-line.guilty, .cm-line.likely");
  await lines.first().waitFor();
  return lines.allTextContents();
}

test("with the mouse alone", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const press = { y: "right", n: "wrong" };
  await debug(page, (answer) => page.locator(`button[data-command=${press[answer]}]:visible`).first().click());
  const lines = await guiltyLines(page);
  assert.ok(lines.some((line) => line.includes("a[r++] = left[l++]")), lines.join("\n"));
  quiet(page);
});

test("with the keyboard alone", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  await debug(page, (answer) => page.keyboard.press(answer));
  const lines = await guiltyLines(page);
  assert.ok(lines.some((line) => line.includes("a[r++] = left[l++]")), lines.join("\n"));
  quiet(page);
});
