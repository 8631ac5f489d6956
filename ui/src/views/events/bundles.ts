// Which omissions belong to which row of the event list: those that were prevented at its event, or, as long as a call
// is folded, within it.

import { computed } from "@preact/signals";

import { balloons } from "../../state";
import type { Balloon, EventRow } from "../../wire";

interface Prevented {
  time: number;
  call: number;
  balloon: Balloon;
}

const prevented = computed<Prevented[]>(() =>
  balloons.value
    .flatMap((balloon) => balloon.times.map((time, at) => ({ time, call: balloon.numbers[at] ?? balloon.at.number, balloon })))
    .sort((one, other) => one.time - other.time),
);

/** Calls of one thread have numbers of one range. */
const thread = (call: number) => Math.floor((call - 1) / 2 ** 32);

export interface Bundle {
  balloons: Balloon[];
  /** They lie in what is folded. */
  folded: boolean;
}

/** The omissions at a row that stands for everything before the next one. */
export function bundle(row: EventRow, next: number | null, root: number | null): Bundle {
  const list = prevented.value;
  const child = row.child;
  const folded = child !== null && !row.unfolded;
  const end = next ?? Number.POSITIVE_INFINITY;
  let [at, high] = [0, list.length];
  while (at < high) {
    const middle = (at + high) >> 1;
    if ((list[middle]?.time ?? 0) < row.time) at = middle + 1;
    else high = middle;
  }
  const found = new Set<Balloon>();
  let within = false;
  for (; at < list.length; at += 1) {
    const one = list[at];
    if (one === undefined || one.time >= end) break;
    if (root !== null && thread(one.call) !== thread(root)) continue;
    const inside = folded && one.time !== row.time && one.call >= child.number && one.call < child.number + child.calls;
    within ||= inside;
    found.add(one.balloon);
  }
  return { balloons: [...found], folded: within };
}

/** How an omission is said in a line. */
export function said(balloon: Balloon): string {
  const maybe = balloon.certainty === "possible" ? "maybe " : "";
  const way = balloon.chain.length > 0 ? ` through ${balloon.chain.join(" → ")}` : "";
  return `${maybe}${balloon.operation}${way}`;
}
