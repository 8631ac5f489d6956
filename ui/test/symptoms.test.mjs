// What went wrong in the run: the list of symptoms, and beginning anew at another one.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const asked = (page) => views(page).question.locator(".put .subject");
const list = (page) => page.locator(".menu.symptoms");
/** What went wrong, above everything. */
const top = (page) => page.getByRole("region", { name: "What went wrong" }).locator(".what");

test("the symptoms of a run are listed, and the search begins anew at the one that is chosen", async () => {
  const { page } = await open("page", "Several", { args: ["--strategy", "top-down"] });
  await until(() => top(page).textContent(), (text) => text?.includes("IllegalStateException: first"), "the symptom on top");
  await until(() => list(page).textContent(), (text) => text?.includes("1 of 2 failures"), "how many there are");
  await list(page).getByRole("button", { expanded: false }).click();
  const rows = list(page).locator("ol.symptoms button");
  await until(() => rows.count(), (count) => count === 2, "two symptoms");
  assert.match((await rows.first().textContent()) ?? "", /IllegalStateException: first/);
  assert.match((await rows.last().textContent()) ?? "", /text is null/);
  assert.equal(await rows.first().getAttribute("aria-current"), "true");
  await rows.last().click();
  await until(() => asked(page).textContent(), (text) => text?.includes("both(true)"), "a question about the other symptom");
  await until(() => top(page).textContent(), (text) => text?.includes("text is null"), "the other symptom on top");
  quiet(page);
});

test("where nothing failed the list says what the search is about", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ["--strategy", "top-down", "--source", "examples"] });
  await list(page).getByRole("button", { expanded: false }).click();
  await until(() => list(page).locator(".drop").textContent(), (text) => text?.includes("Nothing failed in this run"), "that nothing failed");
  quiet(page);
});
