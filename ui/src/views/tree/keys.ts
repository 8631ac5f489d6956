// The keyboard in the tree, as the pattern for tree grids has it. Moving selects the call; who holds an arrow key down
// does not mean every row on the way.

import { effect, signal } from "@preact/signals";

import { select } from "../../selection";
import { openMenu } from "./menu";
import { JUDGEMENTS, judgeRow } from "./judging";
import { active, activeRow, change, height, near, pages, rowAt, wantedInSight } from "./rows";

/** Keys that follow each other faster than this are one move. */
const MOMENT = 120;

/** The row that is to be selected as soon as it is there. */
const choosing = signal<number | null>(null);
let timer = 0;
let last = 0;

effect(() => {
  const rank = choosing.value;
  const call = rank === null ? null : rowAt(rank)?.number;
  clearTimeout(timer);
  if (call == null) return;
  const choose = () => {
    choosing.value = null;
    near.value = "here";
    select({ call }, true);
  };
  const now = performance.now();
  if (now - last > MOMENT) choose();
  else timer = window.setTimeout(choose, MOMENT);
  last = now;
});

/** Goes to a row and selects it. */
export function go(rank: number): void {
  const to = Math.min(pages.value.total - 1, Math.max(0, rank));
  active.value = to;
  wantedInSight.value = { rank: to, middle: false };
  choosing.value = to;
}

export function toggle(rank: number): void {
  const row = rowAt(rank);
  if (row === undefined || row.subject === null || !row.expandable) return;
  active.value = rank;
  void change({ act: row.expanded ? "collapse" : "expand", subject: row.subject });
}

async function toParent(): Promise<void> {
  const row = activeRow();
  if (row === undefined || row.subject === null || row.level === 0) return;
  const found = await change({ act: "parent", subject: row.subject });
  if (found?.rank != null) go(found.rank);
}

const JUDGE = new Map(JUDGEMENTS.map(({ answer, key }) => [key, answer]));

export function keys(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const rank = active.value;
  const row = activeRow();
  const subject = row?.subject ?? null;
  const judged = event.shiftKey ? JUDGE.get(`Shift+${event.key}`) : undefined;
  if (judged !== undefined && !event.repeat) void judgeRow(row, judged);
  else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) openMenu(rank);
  else if (event.key === "ArrowDown") go(rank + 1);
  else if (event.key === "ArrowUp") go(rank - 1);
  else if (event.key === "PageDown") go(rank + height.value - 1);
  else if (event.key === "PageUp") go(rank - height.value + 1);
  else if (event.key === "Home") go(0);
  else if (event.key === "End") go(pages.value.total - 1);
  else if (event.key === "ArrowRight" && event.shiftKey && subject !== null) void change({ act: "expand-all", subject });
  else if (event.key === "ArrowRight" && row?.expanded === true) go(rank + 1);
  else if (event.key === "ArrowRight") toggle(rank);
  else if (event.key === "ArrowLeft" && row?.expanded === true) toggle(rank);
  else if (event.key === "ArrowLeft") void toParent();
  else if (event.key === "Enter" || event.key === " ") toggle(rank);
  else if (event.key === "*" && subject !== null) void change({ act: "expand-siblings", subject });
  else return;
  event.preventDefault();
  event.stopPropagation();
}
