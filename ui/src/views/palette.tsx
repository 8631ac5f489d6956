// Everything that can be done and every place that can be gone to, by typing a part of its name.

import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { api } from "../api";
import { type Command, commands, palette } from "../commands";
import { select } from "../selection";
import type { GotoAnswer, GotoPlace } from "../wire";
import { keyName } from "./button";
import { Dialog } from "./dialog";
import { Help } from "./help";
import { Prompt } from "./prompt";

const open = signal<"commands" | "help" | null>(null);

palette.open = () => (open.value = "commands");
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

function Commands() {
  const text = useSignal("");
  const at = useSignal(0);
  const reached = useSignal<GotoAnswer | null>(null);
  useEffect(() => {
    const wanted = text.value.trim();
    let late = false;
    if (wanted === "") {
      reached.value = null;
      return;
    }
    const timer = setTimeout(() => {
      api.goto(wanted).then(
        (found) => {
          if (!late) reached.value = found;
        },
        () => {},
      );
    }, PAUSE);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [text.value]);
  const wanted = text.value.toLowerCase().trim();
  const fits = (command: Command) => command.enabled() && `${command.group ?? ""} ${command.title}`.toLowerCase().includes(wanted);
  const places = reached.value?.places ?? [];
  const list: Entry[] = [
    ...places.filter((spot) => spot.calls === null).map((spot) => ({ spot })),
    ...commands.filter(fits).map((command) => ({ command })),
    ...places.filter((spot) => spot.calls !== null).map((spot) => ({ spot })),
  ];
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
    at.value = Math.max(0, Math.min(list.length - 1, to));
    document.getElementById(`entry-${at.value}`)?.scrollIntoView({ block: "nearest" });
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(at.value + 1);
    else if (event.key === "ArrowUp") move(at.value - 1);
    else if (event.key === "PageDown") move(at.value + 10);
    else if (event.key === "PageUp") move(at.value - 10);
    else if (event.key === "Enter") run(at.value);
    else if (event.key === "Tab" && "spot" in (list[at.value] ?? {})) complete(at.value);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Commands" class="palette" close={close}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="entries"
        aria-activedescendant={list.length > 0 ? `entry-${at.value}` : undefined}
        aria-label="Command, call, time or location"
        placeholder="A command, MergeSort.merge#3, #time 235, int[]@4[2]…"
        value={text.value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={keys}
      />
      <ul id="entries" role="listbox" aria-label="Commands and places">
        {list.map((entry, index) => (
          <li
            key={"command" in entry ? entry.command.id : `${entry.spot.kind} ${entry.spot.name}`}
            id={`entry-${index}`}
            role="option"
            aria-selected={index === at.value}
            onClick={() => run(index)}
          >
            <Line entry={entry} />
          </li>
        ))}
      </ul>
      {list.length === 0 && <p class="faint">{reached.value?.why ?? "Nothing is called so."}</p>}
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
      {calls !== null && calls > 1 && <span class="faint">of {calls.toLocaleString()}</span>}
    </>
  );
}

function go(spot: GotoPlace): void {
  const call = spot.number === null ? {} : { call: spot.number };
  if (spot.kind === "location") select({ ...call, location: spot.location, tab: "history" });
  else if (spot.kind === "object") select({ ...call, location: spot.location, tab: "missing" });
  else select({ ...call, time: spot.time, ...(spot.kind === "time" ? { tab: "events" as const } : {}) });
}
