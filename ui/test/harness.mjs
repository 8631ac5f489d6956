// What the tests in the browser stand on: recordings of small programs, a server for each test, and a page that
// fails the test when it reports an error, shows a dialog or asks anybody but its own server for something.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const inquest = process.env.INQUEST_BINARY ?? path.join(root, "target/release/inquest");

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function executable() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(":");
  const found = names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
  const given = process.env.CHROMIUM ?? found;
  if (given === undefined) throw new Error("no Chromium: run scripts/need chromium, or set CHROMIUM");
  return given;
}

/** Runs something to its end; its output, and an error if it failed. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, ...options });
  if (done.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${done.status}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

export const java = () => path.join(run("scripts/jdk", ["17"]).trim(), "bin/java");

const scratch = mkdtempSync(path.join(tmpdir(), "inquest-page-"));
const recorded = new Map();
const ends = [];
let browser;
let copies = 0;

process.on("exit", () => {
  for (const end of ends) end();
  rmSync(scratch, { recursive: true, force: true });
});
// A benchmark ends by itself; a file of tests would wait for the browser.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(async () => {
    for (const end of ends) end();
    await browser?.close();
  });
}

/** A folder that is gone when the tests are over. */
export function folder(name) {
  copies += 1;
  const place = path.join(scratch, `${copies}-${name}`);
  mkdirSync(place);
  return place;
}

/** A recording of its own of a program: recorded once in a file of tests, then copied, since answers are kept in it. */
export function recording(group, program, args = []) {
  const key = [group, program, ...args].join(" ");
  if (!recorded.has(key)) {
    const place = path.join(folder(program), "recording");
    const command = [java(), "-cp", path.join("target/java", group), program, ...args];
    run(inquest, ["record", "-q", "-o", place, "--", ...command], { env: { ...process.env, TZ: "UTC" } });
    recorded.set(key, place);
  }
  const copy = path.join(folder(program), program);
  cpSync(recorded.get(key), copy, { recursive: true });
  return copy;
}

/** Starts `inquest open`; `stop` ends it. The lines that it and its program print are in `said`. */
export async function serve(args, options = {}) {
  const child = spawn(inquest, ["open", "--no-browser", ...args], { cwd: root, stdio: ["pipe", "pipe", "pipe"], ...options });
  const said = [];
  const ended = new Promise((done) => child.once("exit", (code, signal) => done({ code, signal })));
  const stop = async (signal = "SIGKILL") => {
    child.kill(signal);
    return ended;
  };
  ends.push(() => child.kill("SIGKILL"));
  const address = await new Promise((done, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      readline.createInterface({ input: stream }).on("line", (line) => {
        said.push(line);
        const found = line.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\//);
        if (found !== null) done(found[0]);
      });
    }
    child.once("exit", (code) => failed(new Error(`inquest open ended with ${code}:\n${said.join("\n")}`)));
  });
  return { address, child, said, stop, ended };
}

/** Milliseconds that every request waits: a test that does not wait for what it needs fails then, on any machine. */
const slow = Number(process.env.INQUEST_SLOW ?? 0);

/** A page of a browser. What goes wrong in it is in `faults`, which `quiet` expects to be empty. */
export async function visit(address, { context = {}, ready = true } = {}) {
  browser ??= await chromium.launch({ executablePath: executable(), args: FLAGS });
  const room = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...context });
  room.setDefaultTimeout(10_000);
  const page = await room.newPage();
  if (slow > 0) {
    await page.route("**", async (route) => {
      await new Promise((done) => setTimeout(done, slow));
      await route.continue().catch(() => {});
    });
  }
  const own = new URL(address).origin;
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") page.faults.push(`console: ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== own && protocol !== "data:" && protocol !== "blob:") page.faults.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  if (ready) await page.getByRole("region", { name: /^(Question|Verdict)$/ }).locator("h2").first().waitFor();
  return page;
}

/** Opens a recording and a page on it. */
export async function open(group, program, { args = [], context } = {}) {
  const place = recording(group, program);
  const server = await serve([place, ...args]);
  const page = await visit(server.address, { context });
  return { place, server, page };
}

export function quiet(page) {
  if (page.faults.length > 0) throw new Error(`the page complained:\n${page.faults.join("\n")}`);
}

/** The views, by the names that a screen reader tells. */
export const views = (page) => ({
  question: page.getByRole("region", { name: /^(Question|Verdict)$/ }),
  tree: page.getByRole("treegrid", { name: "Calls" }),
  details: page.getByRole("region", { name: "The selected call" }),
  source: page.getByRole("region", { name: "Source" }),
  timeline: page.getByRole("region", { name: "Timeline" }),
});

/** Waits until something holds; says what was there instead if it never does. */
export async function until(look, holds, what, patience = 5000) {
  const end = Date.now() + patience;
  let last;
  do {
    last = await look();
    if (holds(last)) return last;
    await new Promise((done) => setTimeout(done, 30));
  } while (Date.now() < end);
  throw new Error(`${what}: still ${JSON.stringify(last)?.slice(0, 500)}`);
}

/**
 * Does something and waits until the page has nothing more to change. Milliseconds from the press to the last change: of
 * all, and of each view by its class.
 */
export async function settled(page, act) {
  await page.evaluate(() => {
    if (globalThis.watched === undefined) {
      const state = { open: 0, last: 0, began: 0, views: {} };
      globalThis.watched = state;
      const fetch = globalThis.fetch;
      globalThis.fetch = async (...given) => {
        state.open += 1;
        try {
          return await fetch(...given);
        } finally {
          // What comes of it is on the screen one turn later.
          setTimeout(() => (state.open -= 1), 0);
        }
      };
      const changed = (list) => {
        state.last = performance.now();
        for (const { target } of list) {
          const element = target instanceof Element ? target : target.parentElement;
          const view = element?.closest(".pane")?.classList[1];
          if (view !== undefined) state.views[view] = state.last;
        }
      };
      const all = { subtree: true, childList: true, attributes: true, characterData: true };
      new MutationObserver(changed).observe(document, all);
      for (const kind of ["pointerdown", "keydown"]) {
        addEventListener(kind, (event) => (state.began = event.timeStamp), { capture: true });
      }
    }
    watched.began = watched.last = performance.now();
    watched.views = {};
  });
  await act();
  return page.evaluate(async () => {
    let still = 0;
    while (still < 3) {
      const before = watched.last;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      still = watched.open === 0 && watched.last === before ? still + 1 : 0;
    }
    const since = (time) => Math.max(0, time - watched.began);
    const views = Object.entries(watched.views).map(([name, time]) => [name, since(time)]);
    return { all: since(watched.last), views: Object.fromEntries(views) };
  });
}
