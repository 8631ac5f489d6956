// What is open in the state, by the labels on the way to it and not by object: so it stays open when the interval moves,
// and where another call has a variable of the same name.

import { signal } from "@preact/signals";

import type { OpenedObject } from "../../wire";

const SEPARATOR = "\n";
const RAW = "inquest.raw";

/** Path → the first part that is shown. */
export const opened = signal<ReadonlyMap<string, number>>(new Map());

function remembered(): boolean {
  try {
    return localStorage.getItem(RAW) === "yes";
  } catch {
    return false;
  }
}

/** Plain fields instead of the logical form. */
export const raw = signal(remembered());

export function setRaw(on: boolean): void {
  raw.value = on;
  try {
    localStorage.setItem(RAW, on ? "yes" : "no");
  } catch {
    // A browser that keeps nothing: it holds for this page.
  }
}

/** A part that somebody jumped to: shown and focused once it is there. */
export const wanted = signal<string[] | null>(null);

/** All statics that have to do with the call, and not only some. */
export const allStatics = signal(false);

export const keyOf = (path: string[]) => path.join(SEPARATOR);

export function open(path: string[], skip = 0): void {
  opened.value = new Map(opened.value).set(keyOf(path), skip);
}

export function close(path: string[]): void {
  const next = new Map(opened.value);
  next.delete(keyOf(path));
  opened.value = next;
}

/** As the server takes it, what was opened last first: there is a bound. */
export function openedList(): OpenedObject[] {
  const list = [...opened.value].map(([key, skip]) => ({ path: key.split(SEPARATOR), skip }));
  return list.reverse().slice(0, 500);
}
