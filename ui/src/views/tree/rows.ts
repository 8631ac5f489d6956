// Rows of the tree that the page has at hand. The server knows all of them by rank; here are those around what is in
// sight, a bounded number, and the one place where they are asked for.

import { batch, effect, signal, untracked } from "@preact/signals";

import { api } from "../../api";
import { selection } from "../../selection";
import { attempt, page, session, tell, version } from "../../state";
import type { Subject, TreeAct, TreeFilter, TreeRow, TreeRows } from "../../wire";

/** Rows that are asked for together, and how many such pages are kept. */
const PAGE = 50;
const KEPT = 100;
const AT_ONCE = 2;
/** After so long a person is told that something is being done. */
const SHOW_WORKING_AFTER_MS = 150;

/** Rows by pages, of one state of the tree. */
class Pages {
  private pages = new Map<number, Map<number, TreeRow>>();

  /** `before`: what to show until there is something better, where ranks mean the same. */
  constructor(
    readonly state: number,
    readonly total: number,
    private before: Pages | null,
  ) {}

  row(rank: number): TreeRow | undefined {
    return this.pages.get(Math.floor(rank / PAGE))?.get(rank) ?? this.before?.row(rank);
  }

  /** Is there nothing of a page left to ask for? */
  has(number: number): boolean {
    const rows = Math.min(PAGE, this.total - number * PAGE);
    return number < 0 || (this.pages.get(number)?.size ?? 0) >= rows;
  }

  /** Takes rows in, and drops what is farthest from them. */
  with(from: number, rows: TreeRow[]): Pages {
    const next = new Pages(this.state, this.total, this.before);
    next.pages = this.pages;
    rows.forEach((row, at) => {
      const number = Math.floor((from + at) / PAGE);
      const known = next.pages.get(number);
      if (known === undefined) next.pages.set(number, new Map([[from + at, row]]));
      else known.set(from + at, row);
    });
    const here = from / PAGE;
    const far = [...next.pages.keys()].sort((one, other) => Math.abs(other - here) - Math.abs(one - here));
    for (const number of far.slice(0, Math.max(0, far.length - KEPT))) next.pages.delete(number);
    return next;
  }

  alone(): Pages {
    this.before = null;
    return this;
  }
}

export const pages = signal(new Pages(-1, 0, null));
/** The first rank in sight, with a fraction, and how many rows fit. */
export const first = signal(0);
export const height = signal(20);
/** The row that has the keyboard. */
export const active = signal(0);
/** Asks the view to have a row in sight. */
export const wantedInSight = signal<{ rank: number; middle: boolean } | null>(null);
export const near = signal<TreeRows["near"]>(null);
export const filter = signal<TreeFilter>({ text: "", program: false });
export const working = signal(false);
/** What is typed in to be found. */
export const wanted = signal("");

/** Requests by number, so that an answer that was overtaken is known. */
let asked = 0;
let established = 0;
let changes: Promise<unknown> = Promise.resolve();
const loading = new Set<number>();
let direction = 1;

export const rowAt = (rank: number) => pages.value.row(rank);
export const activeRow = () => pages.value.row(active.value);

/** Does something to the tree, one after the other. */
export function change(act: TreeAct): Promise<TreeRows | null> {
  const work = async () => {
    asked += 1;
    const number = asked;
    const slow = setTimeout(() => (working.value = true), SHOW_WORKING_AFTER_MS);
    const stays = act.act === "look" || act.act === "mark";
    const from = stays ? Math.max(0, Math.floor(first.value / PAGE) * PAGE) : null;
    const counting = act.act === "find" && act.stay;
    const count = counting ? 0 : Math.min(500, Math.ceil(height.value / PAGE + 1) * PAGE + (stays ? 0 : PAGE));
    const anchor = rowAt(Math.ceil(first.value))?.subject ?? null;
    const held = activeRow()?.subject ?? null;
    const before = { anchor: Math.ceil(first.value), active: active.value, state: pages.value.state };
    const subjects = [anchor, held].filter((one): one is Subject => one !== null);
    const found = await attempt(() => api.change(page, act, from, count, subjects));
    clearTimeout(slow);
    working.value = false;
    if (found === null) return null;
    if (counting && found.state === before.state) return found;
    let gone = false;
    batch(() => {
      const same = found.state === before.state;
      established = number;
      pages.value = new Pages(found.state, found.total, same ? pages.value.alone() : null).with(found.from, found.rows);
      filter.value = found.filter;
      if (found.near !== null) near.value = found.near;
      if (!same) {
        // What was in sight stays there, and who had the keyboard keeps it.
        const moved = anchor === null ? null : (found.ranks[0] ?? null);
        if (moved !== null) first.value += moved - before.anchor;
        const kept = held === null ? null : (found.ranks[anchor === null ? 0 : 1] ?? null);
        active.value = Math.min(found.total - 1, kept ?? before.active);
        gone = held !== null && kept === null;
      }
      if (found.rank !== null) {
        active.value = found.rank;
        wantedInSight.value = { rank: found.rank, middle: !("subject" in act) };
      }
    });
    // The row is gone: what is selected has another one now, or none.
    const call = selection.value.call;
    if (gone && found.rank === null && call !== null) void change({ act: "reveal", number: call });
    if (found.cut) tell("There are too many beside it: the nearest were unfolded.");
    void load();
    return found;
  };
  const next = changes.then(work);
  changes = next;
  return next;
}

/** Which page is missing most: what is in sight, then what comes next in the direction of scrolling. */
function missingPage(): number | null {
  const from = Math.floor(first.value / PAGE);
  const to = Math.floor((first.value + height.value) / PAGE);
  const ahead = direction > 0 ? [to + 1, from - 1] : [from - 1, to + 1];
  const sight = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  return [...sight, ...ahead].find((number) => !pages.value.has(number) && !loading.has(number)) ?? null;
}

/** Loads what is missing, nearest first. What was passed by meanwhile is not asked for. */
export async function load(): Promise<void> {
  while (loading.size < AT_ONCE) {
    const number = missingPage();
    if (number === null || pages.value.state < 0) return;
    loading.add(number);
    asked += 1;
    const mine = asked;
    const found = await attempt(() => api.rows(page, number * PAGE, PAGE));
    loading.delete(number);
    if (found === null) return;
    if (found.state === pages.value.state) pages.value = pages.value.with(found.from, found.rows);
    else if (mine > established) void change({ act: "look" });
  }
}

/** Something was scrolled. */
export function moved(to: number): void {
  if (to === first.value) return;
  direction = to > first.value ? 1 : -1;
  first.value = to;
  void load();
}

/** The call that was last asked to be shown. */
let revealed: number | null = null;

/** Has the row of a call in sight, if it is not the active one; once for each call that is selected. */
export function reveal(call: number | null): boolean {
  if (call === null || activeRow()?.number === call) {
    revealed = call;
    return false;
  }
  if (revealed !== call) void change({ act: "reveal", number: call });
  revealed = call;
  return true;
}

// Whenever the session is told anew, rows may look different, and another call may be selected.
effect(() => {
  void version.value;
  if (session.value === null) return;
  untracked(() => {
    const before = revealed;
    if (!reveal(selection.value.call) || revealed === before) void change({ act: "look" });
  });
});

/** Shows another part of the tree; what is selected stays in sight. */
export const show = (part: Partial<TreeFilter>) =>
  change({ act: "filter", filter: { ...filter.value, ...part }, number: selection.value.call });
