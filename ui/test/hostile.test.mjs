// A recording whose strings and names are markup, and whose values are larger than a page can hold: everything shows
// as text, nothing runs, and the page stays quick.

import assert from "node:assert/strict";
import { test } from "node:test";

import { quiet, recording, serve, until, views, visit } from "./harness.mjs";

const CHILDREN = 1_000_000;
/** How long a click may take here, where tests of other programs may run beside. */
const QUICK_MS = 2000;

test("markup, large values and a million children are harmless", { timeout: 120_000 }, async () => {
  const place = recording("page", "Hostile", [String(CHILDREN)]);
  const server = await serve([place, "--strategy", "top-down", "--source", "fixtures/page"]);
  const page = await visit(server.address);
  const { tree, details } = views(page);

  // Every call of main, in every view.
  await tree.getByRole("row").first().waitFor();
  const names = ["keep#1", "keepLong", "fill", "link", "refuse", "renamed", "onmouseover"];
  for (const name of names) {
    const row = tree.getByRole("row", { name: new RegExp(name) }).first();
    const began = Date.now();
    await row.click();
    if (name === "renamed") await page.keyboard.press("ArrowRight");
    await details.getByRole("tab", { name: "State" }).click();
    await until(() => details.getByRole("tabpanel").getByRole("row").count(), (count) => count > 1, `variables of ${name}`);
    await details.getByRole("tab", { name: "Events" }).click();
    await until(() => details.getByRole("tabpanel").innerText(), (text) => text.split("\n").length > 4, `events of ${name}`);
    assert.ok(Date.now() - began < 3 * QUICK_MS, `${name} took ${Date.now() - began} ms`);
  }
  const text = await page.locator("body").innerText();
  assert.ok(text.includes("<img src=x onerror="), "markup shows as text");

  // The very last of a million children.
  const many = tree.getByRole("row", { name: /many/ }).first();
  await many.click();
  await tree.focus();
  await page.keyboard.press("ArrowRight");
  await until(() => tree.getAttribute("aria-rowcount"), (count) => Number(count) > CHILDREN, "a million rows");
  const began = Date.now();
  await page.keyboard.press("End");
  await tree.getByRole("row", { name: /println|getMessage/ }).last().waitFor();
  for (let press = 0; press < 8; press += 1) await page.keyboard.press("ArrowUp");
  await tree.getByRole("row", { name: new RegExp(`leaf#${CHILDREN}\\b`) }).waitFor();
  assert.ok(Date.now() - began < 5 * QUICK_MS, `the end took ${Date.now() - began} ms`);

  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.equal(await page.locator("script:not([src]), img[onerror], svg[onload]").count(), 0);
  quiet(page);
});
