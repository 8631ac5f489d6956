// What can be done with a row of the state: the same list for the buttons beside it and for its menu.

import type { StateRow } from "../../wire";
import { select, selection } from "../../selection";
import { busy, findMissing, judge, question, tell } from "../../state";
import { longText } from "./text";

export interface Act {
  id: string;
  /** On a button. */
  sign: string;
  title: string;
  run: () => void;
}

/** The location of a row, or for a row without one the object that it is. */
export const nameOf = (row: StateRow) => row.location ?? row.after?.object ?? row.before?.object ?? null;

export function acts(row: StateRow, from: number, to: number): Act[] {
  const list: Act[] = [];
  const { location } = row;
  const object = row.after?.object ?? row.before?.object ?? null;
  if (location !== null) {
    list.push({ id: "history", sign: "↺", title: "Show history", run: () => select({ location, tab: "history" }) });
    list.push({ id: "origin", sign: "⇤", title: "Where it came from", run: () => select({ location, tab: "origin" }) });
  }
  const asked = question.value;
  if (asked !== null && asked.number === selection.value.call && location !== null && !busy.value) {
    const because = location;
    list.push({
      id: "wrong",
      sign: "✗",
      title: "Wrong because of this",
      run: () => void judge(asked.subject, { answer: "n", because }),
    });
  }
  if (object !== null) {
    const at = row.after?.object != null ? to : from;
    list.push({
      id: "missing",
      sign: "∅",
      title: "Something is missing here",
      run: () => void findMissing(object, at),
    });
    list.push({ id: "about", sign: "≡", title: "Only events about it", run: () => select({ about: object, tab: "events" }) });
  }
  const side = row.after?.chars != null ? row.after : row.before?.chars != null ? row.before : null;
  const named = side?.object ?? location;
  if (side !== null && named !== null) {
    const at = side === row.after ? to : from;
    list.push({ id: "text", sign: "¶", title: "Open the whole text", run: () => longText(named, at) });
  }
  return list;
}

/** Only for the menu: what a click on the row does, and its name. */
export function menuActs(row: StateRow, from: number, to: number): Act[] {
  const name = nameOf(row);
  const list = acts(row, from, to);
  if (name !== null) {
    const copy = () => {
      navigator.clipboard.writeText(name).then(
        () => tell(`${name} is in the clipboard.`),
        () => tell(name),
      );
    };
    list.push({ id: "copy", sign: "", title: `Copy the name ${name}`, run: copy });
  }
  return list;
}

export function choose(row: StateRow): void {
  if (row.location !== null) select({ location: row.location }, true);
}
