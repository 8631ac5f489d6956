// What is shown is in the address, and what was said is on disk: reload, back, a second page and a server that was
// killed lose nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { open, quiet, serve, until, views, visit } from "./harness.mjs";

const ARGS = ["--strategy", "top-down", "--source", "examples"];
const chosen = (page) => views(page).tree.locator("[aria-selected=true]");
const asked = (page) => views(page).question.locator(".subject").first();

async function say(page, answer, next) {
  await page.keyboard.press(answer);
  await until(() => asked(page).textContent(), (text) => text?.includes(next), `the question about ${next}`);
}

test("reload and back show the same again", async () => {
  const { page } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const { details } = views(page);
  await until(() => chosen(page).textContent(), (text) => text?.includes("sort"), "the asked call");
  await say(page, "n", "distribute");
  await details.getByRole("tab", { name: "Events" }).click();
  const events = details.getByRole("tab", { name: "Events", selected: true });
  await events.waitFor();
  await page.reload();
  await events.waitFor();
  await until(() => chosen(page).textContent(), (text) => text?.includes("distribute"), "the call after reload");
  await until(() => asked(page).textContent(), (text) => text?.includes("distribute"), "the question after reload");
  await page.goBack();
  await details.getByRole("tab", { name: "State", selected: true }).waitFor();
  quiet(page);
});

test("two pages see the same, and an outdated answer is refused", async () => {
  const { page, server } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  const other = await visit(server.address);
  await until(() => asked(other).textContent(), (text) => text?.includes("sort"), "the question");
  await say(page, "n", "distribute");
  await until(() => asked(other).textContent(), (text) => text?.includes("distribute"), "the question in the other page");
  const code = await other.evaluate(async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ subject: { call: { number: 1 } }, answer: "y", asked: true });
    return (await fetch("api/answer", { method: "POST", headers, body })).status;
  });
  assert.equal(code, 409);
  quiet(page);
});

test("a server that is killed loses nothing, and the next one goes on", async () => {
  const { page, place, server } = await open("examples", "BottomUpMergeSort", { args: ARGS });
  await until(() => asked(page).textContent(), (text) => text?.includes("sort"), "the question");
  await say(page, "n", "distribute");
  await server.stop("SIGKILL");
  await page.keyboard.press("y");
  await until(() => page.locator("body").innerText(), (text) => /does not answer|is gone/.test(text), "that the server is gone");
  const again = await serve([place, ...ARGS]);
  const next = await visit(again.address);
  await until(() => asked(next).textContent(), (text) => text?.includes("distribute"), "the same question");
  quiet(next);
});
