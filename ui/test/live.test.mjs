// A program that still runs: its tree grows while a question is open, and the question stays.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";

import { folder, java, quiet, serve, until, views, visit } from "./harness.mjs";

test("the tree grows while a question is open", { timeout: 60_000 }, async () => {
  const place = path.join(folder("live"), "recording");
  const command = [java(), "-cp", "target/java/live", "Echo"];
  const server = await serve(["-o", place, "--strategy", "top-down", "--ask-root", "--", ...command]);
  const page = await visit(server.address);
  const { tree, question } = views(page);
  const rows = () => tree.getAttribute("aria-rowcount").then(Number);
  const subject = () => question.locator(".subject").first().textContent();
  await until(rows, (count) => count > 1, "the first rows");
  const asked = await subject();
  const before = await rows();
  for (let line = 1; line <= 20; line += 1) server.child.stdin.write(`line ${line}\n`);
  await until(rows, (count) => count > before + 20, "more rows", 15_000);
  assert.equal(await subject(), asked);
  server.child.stdin.end();
  await until(() => page.locator("header").first().innerText(), (text) => !/running/.test(text), "the end of the run", 15_000);
  assert.ok(server.said.includes("echo line 20 3"), "what the program printed is its own");
  quiet(page);
});
