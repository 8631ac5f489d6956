// The session as the server last told it, and what a person is told in passing. Whatever changes the session goes
// through here, so that no view asks for itself.

import { batch, computed, effect, signal } from "@preact/signals";

import { Refused, api } from "./api";
import { listen } from "./connection";
import { select, selection } from "./selection";
import type { StrategyName, TransformName } from "./vocabulary";
import type { AnswerRequest, Balloon, Omissions, Session, Subject } from "./wire";

export const session = signal<Session | null>(null);
/** Counts up when rows of the tree may look different. */
export const version = signal(0);
export const notice = signal<{ text: string; bad: boolean } | null>(null);
/** What a screen reader is told: only what a person did not do, and has to know. */
export const announced = signal("");
export const busy = signal(false);
/** What the omission finder found last, for balloons in all views. */
export const missing = signal<Omissions | null>(null);
export const hidden = signal<ReadonlySet<string>>(new Set());
/** What is hidden with a balloon: all calls of its method, or the operation alone. */
export const operationOf = (balloon: Balloon) => balloon.called ?? balloon.operation;
export const balloons = computed(() => missing.value?.balloons.filter((b) => !hidden.value.has(operationOf(b))) ?? []);
/** What is being looked for, as long as the omission finder works. */
export const searching = signal<string | null>(null);
export const question = computed(() => session.value?.question ?? null);
export const report = computed(() => session.value?.verdict?.report ?? null);
/** A call is selected that is not the one asked about. */
export const elsewhere = computed(() => {
  const call = selection.value.call;
  const asked = question.value?.number ?? null;
  const found = report.value === null ? null : callOf(report.value.subject);
  return call !== null && session.value !== null && call !== (asked ?? found);
});

/** This page, among others on the same session; the same after a reload, so that what is expanded stays so. */
export const page = sessionStorage.getItem("page") ?? crypto.randomUUID();
sessionStorage.setItem("page", page);

export function callOf(subject: Subject): number | null {
  if ("call" in subject) return subject.call.number;
  if ("thread" in subject) return subject.thread.first;
  if ("run" in subject) return subject.run.first;
  if ("nest" in subject) return subject.nest.number;
  if ("loop" in subject) return subject.loop.number;
  return subject.statement.number;
}

export function tell(text: string, bad = false): void {
  notice.value = { text, bad };
}

/** Runs something that may be refused, and says so. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused && error.code === 409) await refresh();
    // That nobody answers is said by itself, as long as it is so. 202: there is nothing to ask about yet; news of it
    // come by themselves.
    const code = error instanceof Refused ? error.code : null;
    if (code !== 0) tell(error instanceof Error ? error.message : String(error), code !== 202);
    return null;
  }
}

function same(one: Session | null, other: Session): boolean {
  const subject = (session: Session | null) =>
    JSON.stringify([session?.question?.subject ?? null, session?.verdict?.verdict ?? null, session?.verdict?.report?.subject ?? null]);
  return one !== null && subject(one) === subject(other);
}

/** `moved`: somebody at this page did something; the selection goes along with the question. */
function accept(next: Session, moved: boolean): void {
  // Together, so that no view asks for what the next line makes old.
  batch(() => accepted(next, moved));
  if (next.advancing) void letAdvance();
}

/** Oracles have more to say before somebody is asked: goes on until they have said it. */
let advancing = false;
async function letAdvance(): Promise<void> {
  if (advancing || busy.value) return;
  advancing = true;
  const next = await attempt(api.advance);
  advancing = false;
  if (next !== null) accept(next, false);
}

function accepted(next: Session, moved: boolean): void {
  const before = session.value;
  const still = same(before, next);
  const here = before?.question?.number ?? null;
  if (before === null) notice.value = null;
  session.value = next;
  version.value += 1;
  if (next.missing !== null) missing.value = next.missing;
  if (next.missing_failed !== null && moved) tell(next.missing_failed, true);
  if (still) return;
  if (before !== null) announced.value = spoken(next);
  const found = next.verdict?.report ? callOf(next.verdict.report.subject) : null;
  const subject = found ?? next.question?.number ?? null;
  // Who looks at something else is left there: another page answered, or the program went on.
  const first = before === null && selection.value.call === null;
  const along = before !== null && here !== null && selection.value.call === here;
  if (subject !== null && (moved || first || along)) {
    select({ call: subject, time: null, ...(next.missing && moved ? { tab: "missing" as const } : {}) }, before === null);
  }
}

function spoken(next: Session): string {
  if (next.question !== null) return `Is this right? ${next.question.text}`;
  const found = next.verdict?.report;
  if (found) return `Found: the defect is in ${found.method}.`;
  return next.verdict === null ? "" : { suspects: "Not found.", correct: "Nothing is wrong.", running: "The program runs.", buggy: "" }[next.verdict.verdict];
}

export async function refresh(): Promise<void> {
  const next = await attempt(api.session);
  if (next !== null) accept(next, false);
}

/** True if it was done. */
async function change(work: () => Promise<Session>): Promise<boolean> {
  if (busy.value) return false;
  busy.value = true;
  notice.value = null;
  const next = await attempt(work);
  busy.value = false;
  if (next !== null) accept(next, true);
  return next !== null;
}

/** Answers what is asked now. */
export async function answer(said: Omit<AnswerRequest, "subject" | "asked">): Promise<boolean> {
  const asked = question.value;
  return asked !== null && change(() => api.answer({ ...said, subject: asked.subject, asked: true }));
}

/** Judges anything, asked or not. */
export async function judge(subject: Subject, said: Omit<AnswerRequest, "subject" | "asked">): Promise<boolean> {
  const asked = JSON.stringify(question.value?.subject) === JSON.stringify(subject);
  return change(() => api.answer({ ...said, subject, asked }));
}

export const undo = () => change(() => api.move({ undo: true }));
export const redo = () => change(() => api.move({ undo: false }));
export const insist = () => change(api.insist);
export const zoom = (call: number | null) => change(() => api.zoom({ number: call }));

export async function choose(strategy: StrategyName, transforms: TransformName[], plain: boolean): Promise<void> {
  await change(() => api.choose({ strategy, transforms, plain }));
}

/** Begins anew at another symptom of the list. */
export async function beginAt(symptom: number): Promise<void> {
  await change(() => api.beginAt({ symptom }));
  const call = session.value === null ? null : callOf(session.value.symptom.subject);
  if (call !== null) select({ call, time: null });
}

/** Looks for what could have happened to something and did not. The page can be used meanwhile. `named`: by a person. */
export async function findMissing(location: string, at: number | null, reads = false, named = true): Promise<void> {
  searching.value = location;
  // What is meant of the call that is looked at is no name for others.
  if (named) select(/[@#]/.test(location) ? { tab: "missing", location } : { tab: "missing" });
  const found = await attempt(() => api.omissions(location, at, reads, selection.value.call));
  if (searching.value !== location) return;
  searching.value = null;
  if (found !== null) missing.value = found;
}

/** A running program has news all the time: more often than this nobody can read them. */
const LOOK_EVERY = 400;

/** Looks again whenever the server says that something is new. */
export function follow(): void {
  let pending = false;
  let last = 0;
  let newest = 0;
  const known = () => session.value !== null && session.value.news >= newest;
  listen((count) => {
    newest = count ?? Infinity;
    if (pending || known()) return;
    pending = true;
    const look = async () => {
      // An answer on its way brings the news itself; whatever came meanwhile is looked at after it.
      if (busy.value) return void setTimeout(look, 100);
      pending = false;
      if (known()) return;
      last = performance.now();
      await refresh();
    };
    setTimeout(look, Math.max(60, last + LOOK_EVERY - performance.now()));
  });
}

effect(() => {
  const now = session.value;
  if (now === null) return;
  const { name } = now.recording;
  const state =
    now.verdict === null
      ? now.question === null
        ? "nothing to ask"
        : `question ${now.asked + 1}`
      : { buggy: `found: ${now.verdict.report?.method ?? ""}`, correct: "nothing wrong", suspects: "not found", running: "running" }[
          now.verdict.verdict
        ];
  document.title = `${name} · ${state} – Inquest`;
});
