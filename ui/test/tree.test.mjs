// The computation tree by itself: keys, search, what is left out, judging by hand, and a scroll bar that is scaled.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, recording, serve, until, views, visit } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const active = (tree) => tree.locator(".row.active");
const names = (tree) => tree.locator(".row .name").allTextContents();
const short = (all) => all.map((name) => name.replace(/^.*\./, ""));

async function merging() {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { tree } = views(page);
  await tree.getByRole("row", { name: /main#1/ }).waitFor();
  return { page, tree };
}

/** Presses a key and waits until the row with the keyboard is of this call. */
async function press(page, tree, key, name) {
  await page.keyboard.press(key);
  await until(() => active(tree).textContent(), (text) => text?.includes(name), `${key} leads to ${name}`);
}

test("keys walk through the tree as through any tree grid", async () => {
  const { page, tree } = await merging();
  await tree.focus();
  await press(page, tree, "Home", "main#1");
  await press(page, tree, "ArrowDown", "sort#1");
  const row = active(tree);
  assert.equal(await row.getAttribute("aria-level"), "2");
  assert.equal(await row.getAttribute("aria-expanded"), "false");
  await page.keyboard.press("ArrowRight");
  await until(() => active(tree).getAttribute("aria-expanded"), (value) => value === "true", "sort is unfolded");
  await press(page, tree, "ArrowRight", "distribute#1");
  assert.equal(await active(tree).getAttribute("aria-posinset"), "1");
  await until(() => active(tree).getAttribute("aria-selected"), (value) => value === "true", "its call is selected");
  const call = await page.evaluate(() => location.hash);
  await press(page, tree, "ArrowDown", "merge#1");
  await until(() => page.evaluate(() => location.hash), (hash) => hash !== call, "another call in the address");
  await press(page, tree, "ArrowLeft", "sort#1");
  await page.keyboard.press("ArrowLeft");
  await until(() => active(tree).getAttribute("aria-expanded"), (value) => value === "false", "sort is folded");
  await page.keyboard.press("*");
  await until(() => active(tree).getAttribute("aria-expanded"), (value) => value === "true", "what is beside main's calls");
  await page.keyboard.press("End");
  const last = Number(await tree.getAttribute("aria-rowcount"));
  await until(() => active(tree).getAttribute("aria-rowindex"), (at) => Number(at) === last, "the last row");
  quiet(page);
});

test("a method is found, counted and shown alone, and libraries are folded with a count", async () => {
  const { page, tree } = await merging();
  const search = page.getByRole("searchbox", { name: /Find a method/ });
  const status = page.locator(".tree .count");
  await search.fill("MERGE");
  await until(() => status.textContent(), (text) => /^\d+$/.test(text ?? ""), "a count");
  const all = Number(await status.textContent());
  await search.fill("sort.merge");
  await until(() => status.textContent(), (text) => text === "3", "three calls of merge");
  assert.ok(all > 3, "the name of the class counts as well");
  const first = /merge#1\b/;
  await search.press("Enter");
  await until(() => active(tree).textContent(), (text) => first.test(text ?? ""), "the first");
  await search.press("Shift+Enter");
  await until(() => active(tree).textContent(), (text) => /merge#3\b/.test(text ?? ""), "round to the last");
  assert.match((await status.textContent()) ?? "", /3 of 3/);

  await page.getByRole("button", { name: "Matches only" }).click();
  const alone = ["main#1", "sort#1", "merge#1", "merge#2", "merge#3"];
  await until(() => names(tree).then(short), (list) => list.join() === alone.join(), "only merge and what is above");
  await search.fill("no such method");
  await until(() => names(tree).then(short), (list) => list.join() === "main#1", "nothing but the root");
  await until(() => status.textContent(), (text) => text === "none", "that nothing was found");
  await search.press("Escape");
  await tree.getByRole("row", { name: /println/ }).first().waitFor();

  await page.getByRole("button", { name: "Hide library calls" }).click();
  await until(() => tree.getByRole("row", { name: /println/ }).count(), (count) => count === 0, "no library");
  await tree.getByRole("row", { name: /main#1/ }).getByRole("button", { name: /^\+\d+$/ }).click();
  await tree.getByRole("row", { name: /println/ }).first().waitFor();
  quiet(page);
});

test("any row is judged by hand, by its menu and by keys, and stays unfolded through answers and a reload", async () => {
  const { page, tree } = await merging();
  const row = (name) => tree.getByRole("row", { name });
  await row(/sort#1/).dblclick();
  await row(/merge#1\b/).click({ button: "right" });
  await page.getByRole("menuitem", { name: /^Right/ }).click();
  await until(() => row(/merge#1\b/).getAttribute("class"), (list) => list?.includes("correct"), "merge#1 is right");
  await row(/merge#3\b/).click();
  await page.keyboard.press("Shift+N");
  await until(() => row(/merge#3\b/).getAttribute("class"), (list) => list?.includes("wrong"), "merge#3 is wrong");
  await page.keyboard.press("u");
  await until(() => row(/merge#3\b/).getAttribute("class"), (list) => !list?.includes("wrong"), "it is not any more");
  // What is asked now is another method.
  await row(/distribute#1/).click();
  await page.keyboard.press("Shift+T");
  for (const name of [/distribute#1/, /distribute#2/]) {
    await until(() => row(name).getAttribute("class"), (list) => list?.includes("trusted"), `${name} is trusted`);
  }
  await page.reload();
  await row(/merge#2\b/).waitFor();
  assert.match((await row(/merge#1\b/).getAttribute("class")) ?? "", /correct/);
  quiet(page);
});

test("beyond what a browser can scroll the bar is scaled, and the wheel still moves by rows", { timeout: 90_000 }, async () => {
  const server = await serve([recording("page", "Hostile", ["400000"]), "--strategy", "top-down"]);
  const page = await visit(server.address);
  const { tree } = views(page);
  // Until the call that is asked about has its row, keys have none, and after that it takes the keyboard from another.
  const chosen = tree.locator('.row.active[aria-selected="true"]');
  await chosen.waitFor();
  await tree.focus();
  await page.keyboard.press("Home");
  await until(() => chosen.getAttribute("aria-rowindex"), (at) => at === "1", "the first row is selected");
  await page.keyboard.press("Shift+ArrowRight");
  const total = await until(() => tree.getAttribute("aria-rowcount").then(Number), (count) => count > 400_000, "all rows", 30_000);
  /** The first and last row in sight. */
  const sight = () =>
    tree.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const inside = [...element.querySelectorAll(".row")].filter((row) => {
        const place = row.getBoundingClientRect();
        return place.bottom > top + 1 && place.top < bottom - 1;
      });
      return [inside[0], inside.at(-1)].map((row) => Number(row?.getAttribute("aria-rowindex")));
    });
  await tree.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await until(sight, ([, last]) => last === total, "the last row by the bar");
  await tree.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
  const [middle] = await until(sight, ([first]) => Math.abs(first / total - 0.5) < 0.01, "the middle by the bar");
  const box = await tree.boundingBox();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.wheel(0, 240);
  await until(sight, ([first]) => first === middle + 10, "ten rows by the wheel");
  await until(() => tree.locator(".row.blank").count(), (count) => count === 0, "no blank rows");
  await tree.focus();
  await page.keyboard.press("Home");
  await until(sight, ([first]) => first === 1, "the first row");
  await page.mouse.wheel(0, 480);
  await until(sight, ([first]) => first === 21, "twenty rows down");
  await page.mouse.wheel(0, -960);
  await until(sight, ([first]) => first === 1, "the first row by the wheel");
  quiet(page);
});
