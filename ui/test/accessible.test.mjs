// What axe finds: nothing serious, in light and dark, on every view, asked and answered.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { open, until, views } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules that are broken, with where; the content policy keeps scripts of others out, so axe comes from outside. */
async function broken(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const bad = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  return bad.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`);
}

for (const colorScheme of ["light", "dark"]) {
  test(`nothing serious in ${colorScheme}`, { timeout: 60_000 }, async () => {
    const args = ["--strategy", "top-down", "--source", "examples"];
    const { page } = await open("examples", "BottomUpMergeSort", { args, context: { colorScheme } });
    const { details, question } = views(page);
    await views(page).tree.getByRole("row").nth(1).waitFor();
    for (const tab of await details.getByRole("tab").allTextContents()) {
      await details.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(100);
      assert.deepEqual(await broken(page), [], tab);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await broken(page), [], "commands");
    await page.keyboard.press("Escape");
    for (const answer of ["n", "y", "y", "y", "y", "n"]) {
      const before = await question.innerText();
      await page.keyboard.press(answer);
      await until(() => question.innerText(), (text) => text !== before, "the next question");
    }
    assert.deepEqual(await broken(page), [], "verdict");
  });
}
