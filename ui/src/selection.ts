// What the page is about: one call, a moment in it, a location. Every view shows this and may change it; it is in the
// address, so that reload, the back button and a copied address lead to the same.

import { signal } from "@preact/signals";

/** The views of the selected call: their tabs, keys, and what a command is called that opens one. */
export const TABS = [
  { id: "state", title: "State", key: "1" },
  { id: "events", title: "Events", key: "2" },
  { id: "history", title: "History", key: "3" },
  { id: "origin", title: "Origin", key: "4", command: "Where it came from" },
  { id: "missing", title: "Missing", key: "5", command: "What did not happen" },
] as const;

export type Tab = (typeof TABS)[number]["id"];

export interface Selection {
  call: number | null;
  /** The event up to which the state is shown; the call's end if there is none. */
  time: number | null;
  location: string | null;
  /** Only events about this are listed. */
  about: string | null;
  tab: Tab;
}

function read(): Selection {
  const values = new URLSearchParams(location.hash.slice(1));
  const number = (name: string) => {
    const text = values.get(name);
    return text !== null && /^\d+$/.test(text) ? Number(text) : null;
  };
  const tab = TABS.find(({ id }) => id === values.get("tab"));
  return { call: number("call"), time: number("time"), location: values.get("at"), about: values.get("about"), tab: tab?.id ?? "state" };
}

function written(selection: Selection): string {
  const values = new URLSearchParams();
  if (selection.call !== null) values.set("call", String(selection.call));
  if (selection.time !== null) values.set("time", String(selection.time));
  if (selection.location !== null) values.set("at", selection.location);
  if (selection.about !== null) values.set("about", selection.about);
  if (selection.tab !== "state") values.set("tab", selection.tab);
  return `#${values.toString()}`;
}

export const selection = signal<Selection>(read());

/** Changes a part of the selection. `quiet`: not a step that the back button returns from. */
export function select(change: Partial<Selection>, quiet = false): void {
  const next = { ...selection.value, ...change };
  if (change.call !== undefined && change.call !== selection.value.call && change.time === undefined) {
    next.time = null;
  }
  const hash = written(next);
  selection.value = next;
  if (hash === location.hash) return;
  if (quiet) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
}

addEventListener("popstate", () => {
  selection.value = read();
});
addEventListener("hashchange", () => {
  if (written(selection.value) !== location.hash) selection.value = read();
});
