// The state of a call: exact marks, objects that stay open while the interval moves, long values, and what can be done
// with every row by keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, recording, serve, until, views, visit } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];

const grid = (page) => views(page).details.getByRole("treegrid", { name: "Variables" });
const rowOf = (page, label) =>
  grid(page)
    .getByRole("row")
    .filter({ has: page.locator(".label", { hasText: new RegExp(`^${label.replace(/[[\]]/g, "\\$&")}$`) }) })
    .first();
const cells = async (page, label) => {
  const row = rowOf(page, label);
  const text = async (part) => (await row.locator(part).textContent())?.trim();
  const words = await row.locator(".word").allTextContents();
  return { sign: await text(".sign"), mark: words.join("").trim(), before: await text(".before .held, .before .no-value"), after: await text(".after .held, .after .no-value") };
};

/** Opens the tree down to a call of sort, and selects it. */
async function select(page, call) {
  const { tree } = views(page);
  await tree.getByRole("row", { name: /sort#1/ }).click();
  await page.keyboard.press("ArrowRight");
  await tree.getByRole("row", { name: call }).first().click();
  await until(() => views(page).details.locator("strong").first().textContent(), (text) => call.test(text ?? ""), `${call} selected`);
}

test("what changed is marked by its value, what is the same with changes inside by them", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  await select(page, /merge#3/);
  await until(() => cells(page, "l").catch(() => null), (row) => row?.sign === "≠" && row.mark === "changed", "l changed");
  assert.match((await cells(page, "r")).mark, /changed/);
  assert.match((await cells(page, "a")).mark, /a part of it changed/);
  assert.equal((await cells(page, "left")).mark, "");
  assert.deepEqual((await cells(page, "a")).after, "[1, 4, 9, 7]");

  // Its elements, and they stay open when the interval moves.
  await page.getByRole("button", { name: "Parts of a", exact: true }).click();
  await until(() => cells(page, "[2]").catch(() => null), (row) => row?.after === "9", "a[2]");
  const marks = [];
  for (const label of ["[0]", "[1]", "[2]", "[3]"]) marks.push((await cells(page, label)).mark.includes("changed"));
  const values = [];
  for (const label of ["[0]", "[1]", "[2]", "[3]"]) values.push(await cells(page, label));
  assert.deepEqual(marks, values.map((row) => row.before !== row.after));
  const at = await page.evaluate(async () => {
    const hash = new URLSearchParams(location.hash.slice(1));
    const call = await (await fetch(`api/call/${hash.get("call")}`)).json();
    return call.entry;
  });
  await page.evaluate((time) => {
    location.hash = `${location.hash}&time=${time}`;
  }, at);
  await until(() => cells(page, "a"), (row) => row.mark === "", "nothing changed at the beginning");
  assert.equal(await rowOf(page, "[2]").count(), 1);
  quiet(page);
});

test("a local that is not assigned yet is not an unknown one", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  await views(page).tree.getByRole("row", { name: /sort#1/ }).click();
  const own = grid(page).getByRole("row").filter({ hasText: "not yet set" });
  await until(() => own.count(), (count) => count > 0, "locals without a value at entry");
  assert.equal(await grid(page).getByText("unknown", { exact: true }).count(), 0);
  quiet(page);
});

test("every row has the same in its menu, by keyboard alone", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  await select(page, /merge#3/);
  await rowOf(page, "a").waitFor();
  await grid(page).locator("[tabindex='0']").focus();
  for (let step = 0; step < 20; step += 1) {
    if ((await page.locator(":focus .label").textContent()) === "a") break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("ArrowRight");
  await rowOf(page, "[2]").waitFor();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await until(() => page.evaluate(() => location.hash), (hash) => /at=int%5B%5D%40\d+%5B2%5D/.test(hash), "a[2] selected");
  await page.keyboard.press("Enter");
  const menu = page.getByRole("menu");
  await menu.waitFor();
  const titles = await menu.getByRole("menuitem").allTextContents();
  assert.deepEqual(titles.slice(0, 2), ["Show history", "Where it came from"]);
  await page.keyboard.press("Enter");
  const entries = views(page).details.getByRole("option");
  await until(() => entries.count(), (count) => count === 4, "the writes to a[2]");
  // The first one, by keyboard: all views go there.
  await entries.last().focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await until(() => views(page).details.locator("strong").first().textContent(), (text) => text?.includes("main"), "the call that wrote it");
  assert.match(await page.evaluate(() => location.hash), /time=\d+/);
  quiet(page);
});

test("a location that is not known is told as such, one that is typed is shown", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { details } = views(page);
  await views(page).tree.getByRole("row", { name: /sort#1/ }).click();
  await details.getByRole("tab", { name: "History" }).click();
  const box = details.getByRole("textbox", { name: "value of" });
  await box.fill("int[]@99[2]");
  await box.press("Enter");
  await until(() => details.getByRole("alert").textContent(), (text) => /int\[\]/.test(text ?? ""), "what is wrong with it");
  await box.fill("BottomUpMergeSort.sort#1:a[2]");
  await box.press("Enter");
  await until(() => details.getByRole("option").count(), (count) => count === 4, "its writes");
  await until(() => details.locator("h3").textContent(), (text) => /^int\[\]@\d+\[2\]$/.test(text ?? ""), "its own name");
  // The refusal of the first is a failed request, and nothing else went wrong.
  page.faults = page.faults.filter((fault) => !/400/.test(fault));
  quiet(page);
});

test("a long array is paged and a long text is read piece by piece", { timeout: 60_000 }, async () => {
  const place = recording("page", "Hostile", ["10"]);
  const server = await serve([place, "--strategy", "top-down", "--source", "fixtures/page"]);
  const page = await visit(server.address);
  const { tree } = views(page);
  await tree.getByRole("row", { name: /fill/ }).first().click();
  await page.getByRole("button", { name: "Parts of numbers" }).click();
  await rowOf(page, "[99]").waitFor();
  const box = grid(page).getByRole("textbox", { name: "Go to element of numbers" });
  await box.fill("70007");
  await box.press("Enter");
  await until(() => cells(page, "[70007]").catch(() => null), (row) => row?.after === "70007", "the element");
  assert.equal(await rowOf(page, "[99]").count(), 0);
  await grid(page).getByRole("button", { name: "change ›" }).first().click();
  await rowOf(page, "[70100]").waitFor();

  await tree.getByRole("row", { name: /keepLong/ }).first().click();
  await rowOf(page, "given").getByRole("button", { name: /chars/ }).first().click();
  const dialog = page.getByRole("dialog");
  await until(() => dialog.innerText(), (text) => text.includes("long <b>xxx"), "the text");
  await page.keyboard.press("Escape");
  await until(() => dialog.count(), (count) => count === 0, "the box closed");
  quiet(page);
});
