// Something that should have happened and did not: the balloon on the condition that prevented it, in the event list
// and in the tree, and away with it when its method is hidden.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, until, views } from "./harness.mjs";

test("the list that stays empty has a balloon where addItem was not called", async () => {
  const args = ["--strategy", "top-down", "--source", "examples"];
  const { page } = await open("examples", "FileLister", { args });
  const { tree, details, source } = views(page);
  const panel = details.getByRole("tabpanel");
  await tree.getByRole("row", { name: /FileLister\.run#1/ }).click();
  await details.getByRole("tab", { name: "State" }).click();
  await panel.getByRole("button", { name: "Parts of this" }).click();
  const names = panel.getByRole("row").filter({ hasText: /^\W*names/ }).first();
  await names.hover();
  await names.getByRole("button", { name: /missing/i }).click();
  const balloon = panel.getByRole("button", { name: /\.add\(/ });
  await until(() => balloon.count(), (count) => count === 1, "exactly one omission", 20_000);
  assert.match((await panel.innerText()) ?? "", /addItem/);
  await balloon.click();

  await details.getByRole("tab", { name: "Events" }).click();
  const event = panel.locator("[aria-selected=true]");
  await until(() => event.textContent(), (text) => /add\(/.test(text ?? ""), "the balloon at the jump");
  const line = source.locator(".cm-line.current");
  await until(() => line.textContent(), (text) => text?.includes("if (active)"), "the condition");
  const bundle = tree.getByRole("row", { name: /FileLister\.run#1/ }).locator(".balloon");
  await bundle.waitFor();
  quiet(page);
});
