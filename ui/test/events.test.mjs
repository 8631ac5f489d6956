// The event list: callees unfold in place, changes of a location are marked and stepped through, everything about an
// object is listed, and a long list opens anywhere.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, recording, serve, until, views, visit } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];

/** The page of one example with the events of a call in sight. */
async function events(program, call, rest = "") {
  // High enough for all rows of a short call to be in sight.
  const context = { viewport: { width: 1440, height: 1800 } };
  const { page, server } = await open("examples", program, { args: ARGS, context });
  const { tree, details } = views(page);
  await page.goto(`${server.address}#call=${call}&tab=events${rest}`);
  const list = details.getByRole("treegrid", { name: /^Events/ });
  await list.getByRole("row").first().waitFor();
  return { page, tree, details, list };
}

const texts = (rows) => rows.evaluateAll((all) => all.map((row) => row.querySelector(".text").textContent));
const at = (page) => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)));

test("a callee unfolds in place, and its events are its own", async () => {
  const { page, tree, list } = await events("FileLister", 3);
  const rows = list.getByRole("row");
  const folded = await texts(rows);
  assert.equal(folded.length, 6);
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  const inner = list.getByRole("row").and(page.locator("[aria-level='2']"));
  await until(() => texts(inner), (found) => found.some((text) => /active = false/.test(text)), "the events of init");
  // Its call is selected with it, and the list stays.
  await inner.filter({ hasText: "active = false" }).click();
  await until(() => tree.locator("[aria-selected=true]").textContent(), (text) => text.includes("init#1"), "init in the tree");
  assert.ok((await texts(rows)).some((text) => text.includes("printItems")));
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await until(() => texts(rows), (found) => found.length === folded.length, "the list as it was");
  quiet(page);
});

test("changes of a location are red, calls with changes yellow, and > and < go from one to the next", async () => {
  const { page, list } = await events("BottomUpMergeSort", 2, "&at=int%5B%5D%401%5B2%5D");
  const marked = (mark) => list.locator(`.event.${mark}`);
  await until(() => marked("within").count(), (count) => count === 2, "the two merges that write to it");
  const within = await texts(marked("within"));
  assert.match(within[0], /merge#2/);
  assert.match(within[1], /merge#3/);
  assert.equal(await marked("changed").count(), 0);
  await list.focus();
  for (const [key, time] of [[">", "88"], [">", "155"], [">", "161"], ["<", "155"]]) {
    await page.keyboard.press(key);
    await until(() => at(page).time, (now) => now === time, `the change at ${time}`);
  }
  await until(() => texts(marked("changed")), (found) => found.length === 2, "both writes of merge#3");
  quiet(page);
});

test("everything about an object is listed with its calls, and one click leaves it", async () => {
  const { page, details, list } = await events("FileLister", 3);
  await details.getByRole("textbox", { name: "Only events about" }).fill("this.names");
  await page.keyboard.press("Enter");
  await until(() => texts(list.getByRole("row")), (found) => found.length === 5, "what happened to the list");
  assert.equal(at(page).about, "ArrayList@1");
  await details.getByText("Only events about ArrayList@1").waitFor();
  await list.getByRole("row", { name: /println/ }).click();
  await until(() => at(page).call, (call) => call === "9", "the call that printed it");
  await details.getByRole("button", { name: "all events of the call" }).click();
  await until(() => texts(list.getByRole("row")), (found) => found[0]?.includes("printItems"), "the events of that call");
  quiet(page);
});

test("what is missing is a balloon at the jump, one on a folded call, and gone when its method is hidden", async () => {
  const { page, details, list } = await events("FileLister", 3);
  const tab = (name) => details.getByRole("tab", { name }).click();
  await tab("Missing");
  await details.getByRole("textbox", { name: "Object or location" }).fill("names");
  await page.keyboard.press("Enter");
  await details.getByRole("button", { name: /ArrayList@1\.add\(…\).*addItem.*FileLister\.java:24/ }).click();
  await tab("Events");
  const jump = list.getByRole("row", { selected: true });
  await until(() => jump.textContent(), (text) => /active is false.*add\(…\) through FileLister\.addItem/.test(text), "the balloon");
  await page.keyboard.press("h");
  await until(() => at(page).call, (call) => call === "1", "the caller");
  await until(() => list.getByRole("note").allTextContents(), (found) => found.join() === "1 missing", "one for the folded call");
  await tab("Missing");
  await details.getByRole("button", { name: "hide add" }).click();
  await tab("Events");
  await list.getByRole("row").first().waitFor();
  assert.equal(await list.getByRole("note").count(), 0);
  await tab("Missing");
  await details.getByRole("button", { name: "Show add again" }).click();
  await details.getByRole("button", { name: /ArrayList@1\.add\(…\)/ }).waitFor();
  quiet(page);
});

test("a long list opens at its end and in its middle without loading the rest", { timeout: 60_000 }, async () => {
  const place = recording("page", "Hostile", ["20000"]);
  const server = await serve([place, "--strategy", "top-down"]);
  const page = await visit(server.address);
  const { tree, details } = views(page);
  await tree.getByRole("row", { name: /many/ }).first().click();
  await details.getByRole("tab", { name: "Events" }).click();
  const list = details.getByRole("treegrid", { name: /^Events/ });
  await list.getByRole("row").first().waitFor();
  const answers = [];
  const heard = (response) => {
    if (response.url().includes("/rows?")) answers.push(response.json());
  };
  page.on("response", heard);
  await list.focus();
  await page.keyboard.press("End");
  await list.getByRole("row", { name: /return/ }).waitFor();
  await list.evaluate((box) => (box.scrollTop = (box.scrollHeight - box.clientHeight) / 2));
  await until(() => texts(list.getByRole("row")), (found) => found.some((text) => /leaf#1[01]\d\d\d\b/.test(text)), "the middle");
  page.off("response", heard);
  const loaded = (await Promise.all(answers)).reduce((sum, answer) => sum + answer.rows.length, 0);
  assert.ok(0 < loaded && loaded < 3000, `${loaded} rows were loaded`);
  quiet(page);
});
