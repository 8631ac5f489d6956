// The question and what is around it: judging by hand, changing one's mind, saying more, going anywhere by name, the
// saved report, and a window of any size.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const begin = (options = {}) => open("examples", "BottomUpMergeSort", { args: ARGS, ...options });
const asked = (page) => views(page).question.locator(".put .subject");

async function say(page, answer, next) {
  await page.keyboard.press(answer);
  await until(() => asked(page).textContent(), (text) => text?.includes(next), `the question about ${next}`);
}

const stands = (page, name, ...kinds) =>
  until(
    () => views(page).question.locator(".facts tr").filter({ has: page.getByRole("rowheader", { name, exact: true }) }).locator("td").first().getAttribute("class"),
    (kind) => kinds.includes(kind),
    `how ${name} is marked`,
  );

test("what changed is marked, what only contains changes is marked otherwise", async () => {
  const { page } = await begin();
  await page.keyboard.press("s");
  await stands(page, "a", "within");
  await stands(page, "a[1]", "changed");
  await say(page, "n", "distribute");
  await page.keyboard.press("s");
  await stands(page, "run", "");
  quiet(page);
});

test("a question is a few lines at first, and whole when more is wanted", async () => {
  const { page } = await begin();
  const { question } = views(page);
  const rows = question.locator(".put .facts tbody tr");
  const few = await rows.count();
  assert.ok(few <= 10, `${few} rows`);
  await page.keyboard.press("s");
  await until(() => rows.count(), (count) => count > few, "all of it");
  await page.keyboard.press("s");
  await until(() => rows.count(), (count) => count === few, "the few lines again");
  quiet(page);
});

test("a call that nobody asked about is judged by hand, and the mind is changed", async () => {
  const { page } = await begin();
  const { question, tree } = views(page);
  await say(page, "n", "distribute");
  await tree.getByRole("row", { name: /merge#3/ }).click();
  const selected = question.getByRole("region", { name: /judged by hand/ });
  await until(() => selected.textContent(), (text) => text?.includes("merge"), "the selected call");
  assert.match((await asked(page).textContent()) ?? "", /distribute/, "the question stays in sight");
  await selected.getByRole("button", { name: "It is wrong" }).click();
  await until(() => question.locator("h2").first().textContent(), (text) => text?.includes("merge"), "the verdict");

  await page.keyboard.press("a");
  const answers = question.locator(".given li");
  await until(() => answers.count(), (count) => count === 2, "two answers");
  // Wrong inside of what is right: told, and one of the two taken back.
  await answers.filter({ hasText: "sort#1" }).getByRole("button", { name: /Change the answer/ }).click();
  await page.getByRole("button", { name: "It is right" }).last().click();
  const clash = question.getByRole("group", { name: /do not go together/ });
  await clash.getByRole("button", { name: /Take back.*merge#3/ }).click();
  await until(() => clash.count(), (count) => count === 0, "no contradiction any more");
  await until(() => answers.count(), (count) => count === 1, "one answer");
  // What was revised comes back when that is undone.
  await page.keyboard.press("u");
  await until(() => answers.count(), (count) => count === 2, "both again");
  quiet(page);
});

test("a name that is none stays to be corrected; why and more are one key away", async () => {
  const { page } = await begin();
  const { question } = views(page);
  await page.keyboard.press("w");
  await until(() => question.textContent(), (text) => /If it is wrong, \d+ suspects? (is|are) left/.test(text ?? ""), "the reason");
  await page.keyboard.press("s");
  await question.getByRole("button", { name: /Show less/ }).waitFor();
  await page.keyboard.press("N");
  const dialog = page.getByRole("dialog", { name: "Which value is wrong?" });
  await dialog.getByRole("textbox").fill("a[9]");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  assert.equal(await dialog.getByRole("textbox").inputValue(), "a[9]");
  await dialog.getByRole("textbox").fill("a[2]");
  await page.keyboard.press("Enter");
  await until(() => asked(page).textContent(), (text) => text?.includes("merge("), "the call that wrote it");
  page.faults = page.faults.filter((fault) => !fault.includes("400"));
  quiet(page);
});

test("calls, times and locations are gone to by name, and the keyboard comes back", async () => {
  const { page } = await begin();
  const button = page.locator("button[data-command=wrong]");
  const hash = () => page.evaluate(() => location.hash);
  for (const [text, place] of [
    ["BottomUpMergeSort.merge#3", /call=\d+$/],
    ["#time 60", /time=60&tab=events/],
    ["int[]@1[2]", /at=int%5B%5D%401%5B2%5D&tab=history/],
  ]) {
    await button.focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(text);
    await page.getByRole("option").filter({ hasText: /call|time|location/ }).first().waitFor();
    await page.keyboard.press("Enter");
    await until(hash, (now) => place.test(now), `the address after ${text}`);
    assert.equal(await page.evaluate(() => document.activeElement?.dataset.command), "wrong");
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Help: signs and keys" }).waitFor();
  quiet(page);
});

test("the report is one file without scripts", async () => {
  const { page } = await begin();
  const { question } = views(page);
  for (const [answer, next] of [["n", "distribute"], ["y", "merge"], ["y", "merge"], ["y", "distribute"], ["y", "merge"]]) {
    const before = await asked(page).textContent();
    await say(page, answer, next);
    await until(() => asked(page).textContent(), (text) => text !== before, "another question");
  }
  await page.keyboard.press("n");
  const save = question.getByRole("button", { name: "Save the report" });
  const [file] = await Promise.all([page.waitForEvent("download"), save.click()]);
  const text = readFileSync(await file.path(), "utf8");
  assert.equal(file.suggestedFilename(), "inquest-report.html");
  assert.match(text, /^<!doctype html>/);
  assert.match(text, /a\[r\+\+\] = left\[l\+\+\]/);
  assert.doesNotMatch(text, /<script|src=|href=|url\(/);
  quiet(page);
});

test("panes are resized and folded with the keyboard, and stay so", async () => {
  const { page } = await begin();
  const width = () => page.locator("#pane-tree").evaluate((pane) => pane.getBoundingClientRect().width);
  const before = await width();
  const line = page.getByRole("separator", { name: /Tree/ });
  await line.focus();
  for (let times = 0; times < 5; times += 1) await page.keyboard.press("ArrowRight");
  const after = await until(width, (now) => now > before + 80, "a wider tree");
  await page.getByRole("button", { name: "Hide the pane Source" }).focus();
  await page.keyboard.press("Enter");
  await page.reload();
  await until(width, (now) => Math.abs(now - after) < 2, "as wide after reload");
  assert.equal(await page.locator("#pane-source").isVisible(), false);
  quiet(page);
});

test("nothing is wider than the window, from 360 to 3840 pixels, asked and answered", async () => {
  const { page } = await begin();
  for (const last of [false, true]) {
    if (last) {
      await page.keyboard.press("y");
      await views(page).question.locator(".verdict").waitFor();
    }
    for (const [width, height] of [[360, 640], [640, 360], [900, 700], [1000, 700], [1440, 900], [3840, 2160]]) {
      await page.setViewportSize({ width, height });
      await until(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), (over) => over <= 0, `at ${width} pixels`);
    }
  }
  quiet(page);
});

test("a page waits for a server that is away, and goes on by itself", async () => {
  const { page } = await begin();
  await page.context().setOffline(true);
  await page.keyboard.press("n");
  const banner = page.getByText("The server does not answer.", { exact: false });
  await banner.first().waitFor();
  await page.context().setOffline(false);
  await until(() => banner.count(), (count) => count === 0, "the page goes on");
  await say(page, "n", "distribute");
});
