// Search: every place that can be gone to and everything that can be done, by typing a part of its name. Nothing that
// answers a question is among it, and nothing is chosen before somebody typed or moved.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";

import { expect, taken } from "../ahead";
import { api } from "../api";
import { type Command, commands, palette } from "../commands";
import { select } from "../selection";
import type { GotoAnswer, GotoPlace } from "../wire";
import { keyName } from "./button";
import { Dialog } from "./dialog";
import { Help } from "./help";
import { Prompt } from "./prompt";

const open = signal<"commands" | "help" | null>(null);

palette.open = () => {
  if (open.value === null) expect();
  open.value = "commands";
};
palette.help = () => (open.value = "help");
const close = () => (open.value = null);

export function Palette() {
  return (
    <>
      {open.value === "commands" && <Commands />}
      {open.value === "help" && <Help close={close} />}
      <Prompt />
    </>
  );
}

type Entry = { command: Command } | { spot: GotoPlace };

/** What is typed is asked for so long after the last key. */
const PAUSE = 80;

/** What was found of a text. */
interface Found<T> {
  text: string;
  answer: T;
}

/** Asks for what is typed; the answer to what is no longer typed is dropped. */
function useTyped<T>(text: string, ask: (text: string) => Promise<T>): Found<T> | null {
  const found = useSignal<Found<T> | null>(null);
  useEffect(() => {
    let late = false;
    if (text === "") {
      found.value = null;
      return;
    }
    const timer = setTimeout(() => {
      ask(text).then(
        (answer) => {
          if (!late) found.value = { text, answer };
        },
        () => {},
      );
    }, PAUSE);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [text]);
  return found.value;
}

const NOWHERE: GotoAnswer = { places: [], why: null };

function Commands() {
  const text = useSignal("");
  const moved = useSignal<number | null>(null);
  /** Enter was pressed before it was known where the text leads. */
  const going = useSignal<string | null>(null);
  useLayoutEffect(() => {
    text.value = taken();
  }, []);
  const typed = text.value.trim();
  const named = useTyped(typed, api.goto);
  const reached = typed === "" ? NOWHERE : (named?.answer ?? NOWHERE);
  const wanted = typed.toLowerCase();
  const fits = (command: Command) =>
    command.says !== true && command.enabled() && `${command.group ?? ""} ${command.title}`.toLowerCase().includes(wanted);
  const exact = (spot: GotoPlace) => spot.calls === null;
  const list: Entry[] = [
    ...reached.places.filter(exact).map((spot) => ({ spot })),
    ...commands.filter(fits).map((command) => ({ command })),
    ...reached.places.filter((spot) => !exact(spot)).map((spot) => ({ spot })),
  ];
  // Nothing is chosen by itself before something was typed.
  const at = moved.value === null ? (typed === "" ? -1 : 0) : Math.min(moved.value, list.length - 1);
  const run = (index: number) => {
    const entry = list[index];
    if (entry === undefined) return;
    close();
    // After the dialog has given the keyboard back, so that a command may put it elsewhere.
    setTimeout(() => {
      if ("command" in entry) void entry.command.run();
      else go(entry.spot);
    });
  };
  const complete = (index: number) => {
    const entry = list[index];
    if (entry !== undefined && "spot" in entry) text.value = entry.spot.name;
  };
  const move = (to: number) => {
    moved.value = Math.max(0, Math.min(list.length - 1, to));
    document.getElementById(`entry-${moved.value}`)?.scrollIntoView({ block: "nearest" });
  };
  const known = typed === "" || named?.text === typed;
  useEffect(() => {
    if (going.value === null || !known) return;
    const meant = going.value === typed;
    going.value = null;
    if (meant) run(0);
  }, [known, going.value]);
  const keys = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at - 1);
    else if (event.key === "PageDown") move(at + 10);
    else if (event.key === "PageUp") move(at - 10);
    else if (event.key === "Enter") {
      if (event.repeat) return event.preventDefault();
      if (known || moved.value !== null) run(at);
      else going.value = typed;
    } else if (event.key === "Tab" && "spot" in (list[at] ?? {})) complete(at);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Search" class="palette" close={close}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="entries"
        aria-activedescendant={at >= 0 && list.length > 0 ? `entry-${at}` : undefined}
        aria-label="A call, a time, a location or a command"
        placeholder="merge, MergeSort.merge#3, #time 235, int[]@4[2], a command…"
        value={text.value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          moved.value = null;
          going.value = null;
        }}
        onKeyDown={keys}
      />
      <ul id="entries" role="listbox" aria-label="Places and commands">
        {list.map((entry, index) => (
          <li
            key={"command" in entry ? entry.command.id : `${entry.spot.kind} ${entry.spot.name}`}
            id={`entry-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(index)}
          >
            <Line entry={entry} />
          </li>
        ))}
      </ul>
      {list.length === 0 && typed !== "" && <p class="faint">{known ? (reached.why ?? "Nothing is called so.") : "Looking…"}</p>}
    </Dialog>
  );
}

function Line({ entry }: { entry: Entry }) {
  if ("command" in entry) {
    return (
      <>
        <span class="title">{entry.command.title}</span>
        {entry.command.keys.map((key) => (
          <kbd key={key}>{keyName(key)}</kbd>
        ))}
      </>
    );
  }
  const { kind, name, calls } = entry.spot;
  return (
    <>
      <span class="kind">{kind}</span>
      <span class="title place">{name}</span>
      {calls !== null && calls > 1 && <span class="faint">1 of {calls.toLocaleString()}</span>}
    </>
  );
}

function go(spot: GotoPlace): void {
  const call = spot.number === null ? {} : { call: spot.number };
  const moment = { ...call, time: spot.time };
  switch (spot.kind) {
    case "location":
      return select({ ...call, location: spot.location, tab: "history" });
    case "object":
      return select({ ...call, location: spot.location, tab: "missing" });
    case "time":
      return select({ ...moment, tab: "events" });
    case "call":
      return select(moment);
  }
}
