// The rows of the state as they stand on the page: the tree of variables and parts, flattened, with a row to page
// through what is too long to show.

import type { CallState, StateRow } from "../../wire";
import { markOf } from "../../marks";
import { keyOf } from "./opened";

/** Parts of one object that are shown at once; the server has the same number. */
export const WINDOW = 100;

export interface ValueLine {
  kind: "value";
  key: string;
  row: StateRow;
  path: string[];
  level: number;
  place: number;
  siblings: number;
}

export interface PagerLine {
  kind: "pager";
  key: string;
  row: StateRow;
  path: string[];
  level: number;
}

export interface HeadLine {
  kind: "head";
  key: string;
  text: string;
}

export type Line = ValueLine | PagerLine | HeadLine;

export function lines(state: CallState): Line[] {
  const list: Line[] = [];
  add(list, state.rows, [], 1);
  if (state.statics.length > 0) {
    list.push({ kind: "head", key: "statics", text: "Static fields that it wrote or read" });
    add(list, state.statics, [], 1);
  }
  return list;
}

function add(list: Line[], rows: StateRow[], above: string[], level: number, parent?: StateRow): void {
  rows.forEach((row, at) => {
    const path = [...above, row.label];
    const key = `${level === 1 ? row.role : ""}:${keyOf(path)}`;
    const siblings = parent === undefined ? rows.length : parent.total;
    list.push({ kind: "value", key, row, path, level, place: (parent?.skip ?? 0) + at + 1, siblings: Math.max(siblings, 1) });
    if (row.rows !== null) {
      if (row.total > WINDOW) list.push({ kind: "pager", key: `pager:${keyOf(path)}`, row, path, level: level + 1 });
      add(list, row.rows, path, level + 1, row);
    }
  });
}

export function signOf(mark: StateRow["mark"]): [sign: string, word: string] {
  if (mark === "same") return ["", ""];
  const { sign, means } = markOf("value", mark);
  return [sign, means];
}
