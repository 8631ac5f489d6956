// Values and code are there to be read, in every window: no column of single letters, and all that ran of a long method.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { folder, inquest, java, open, quiet, run, serve, until, views, visit } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];

/** Values of which a line has fewer letters than this, although they are longer. */
const LEAST = 14;
const narrow = (page) =>
  page.evaluate((least) => {
    const found = [];
    for (const value of document.querySelectorAll(".told .value, .state-grid .held, .told th .location, .state-grid .label")) {
      const text = value.textContent.trim();
      const box = value.getBoundingClientRect();
      const line = Number.parseFloat(getComputedStyle(value).lineHeight) || 18;
      const lines = Math.max(1, Math.round(box.height / line));
      if (box.height > 0 && text.length > least && text.length / lines < least && lines > 1) found.push(`${text}: ${lines} lines`);
    }
    return found;
  }, LEAST);

test("values have the width of their pane, from 1024 pixels on", async () => {
  for (const [width, height] of [[1024, 768], [1280, 800], [1920, 1080]]) {
    const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS, context: { viewport: { width, height } } });
    const { question, details } = views(page);
    await details.getByRole("treegrid", { name: "Variables" }).getByRole("row").nth(2).waitFor();
    await until(() => narrow(page), (found) => found.length === 0, `at a glance, ${width} pixels`);
    await page.keyboard.press("s");
    await question.getByRole("button", { name: /Show less/ }).waitFor();
    await question.locator(".told .became").first().waitFor();
    await until(() => narrow(page), (found) => found.length === 0, `all of it, ${width} pixels`);
    quiet(page);
  }
});

test("what came out stands first, then what changed, then what was given", async () => {
  const { page } = await open("examples", "SumNumbers", { args: ARGS });
  const { question } = views(page);
  const asked = await until(() => question.locator(".put .subject").textContent(), (text) => /= -?\d+/.test(text ?? ""), "a call with a result");
  await page.keyboard.press("s");
  await until(() => question.locator(".put .told tbody th").allTextContents(), (names) => names[0] === "result", `the result of ${asked}`);
  quiet(page);
});

/** A method of 490 lines of which some 110 run, the last of them being wrong. */
function longProgram() {
  const place = folder("long");
  const arm = (from, count) => Array.from({ length: count }, (_, at) => `            sum += ${from + at};`).join("\n");
  const source = `public class QuarterlyStatement {
    static int totalOfPositions(int kind) {
        int sum = 0;
        if (kind == 1) {
${arm(1, 360)}
        } else {
${arm(1000, 106)}
        }
        sum -= 1;
        return sum;
    }

    public static void main(String[] args) {
        System.out.println(totalOfPositions(2));
    }
}
`;
  mkdirSync(path.join(place, "classes"));
  writeFileSync(path.join(place, "QuarterlyStatement.java"), source);
  run(path.join(path.dirname(java()), "javac"), ["-g", "-d", path.join(place, "classes"), path.join(place, "QuarterlyStatement.java")]);
  const recording = path.join(place, "recording");
  run(inquest, ["record", "-q", "-o", recording, "--", java(), "-cp", path.join(place, "classes"), "QuarterlyStatement"]);
  return { place, recording };
}

test("a verdict on a long method shows all that ran, and what did not when it is wanted", { timeout: 60_000 }, async () => {
  const { place, recording } = longProgram();
  const server = await serve([recording, "--strategy", "top-down", "--source", place]);
  const page = await visit(server.address);
  const { question } = views(page);
  await until(() => question.locator(".put .subject").textContent(), (text) => text?.includes("totalOfPositions(2)"), "the question");
  await page.keyboard.press("n");
  const lines = question.locator(".guilty-code tr:not(.gap-row)");
  await until(() => lines.count(), (count) => count > 100, "the code");
  assert.equal(await question.locator(".guilty-code tr.guilty").count(), 110);
  const shown = await lines.count();
  assert.ok(shown < 125, `${shown} lines`);
  const gap = question.locator(".guilty-code .gap-row button");
  assert.match((await gap.first().textContent()) ?? "", /… 35\d lines that did not run/);
  await gap.first().click();
  await until(() => lines.count(), (count) => count > 460, "all lines");
  quiet(page);
});
