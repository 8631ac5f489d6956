// Finding calls by their method's name, showing only those, and folding calls into libraries.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { TreeRows } from "../../wire";
import { go } from "./keys";
import { activeRow, change, show, filter, wanted } from "./rows";

/** Typing is over after so long. */
const PAUSE = 250;

const found = signal<TreeRows["found"]>(null);

async function find(back: boolean): Promise<void> {
  const text = wanted.value.trim();
  if (text === "") return;
  const told = await change({ act: "find", text, after: activeRow()?.subject ?? null, back, stay: false });
  found.value = told?.found ?? null;
  if (told?.rank != null) go(told.rank);
}

export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  const asked = useSignal("");
  const only = filter.value.text !== "";
  // A filter from before a reload.
  useEffect(() => {
    if (only && wanted.value === "") wanted.value = filter.value.text;
  }, [only]);
  const typed = (text: string) => {
    wanted.value = text;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(async () => {
      const now = wanted.value.trim();
      if (only) await show({ text: now });
      if (now === "") found.value = null;
      else if (now !== asked.value) {
        const told = await change({ act: "find", text: now, after: null, back: false, stay: true });
        if (wanted.value.trim() === now) found.value = told?.found ?? null;
      }
      asked.value = now;
    }, PAUSE);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter") void find(event.shiftKey);
    else if (event.key === "Escape") {
      typed("");
      document.querySelector<HTMLElement>(".tree .rows")?.focus();
    } else if (event.key === "ArrowDown") document.querySelector<HTMLElement>(".tree .rows")?.focus();
    else return;
    event.preventDefault();
  };
  const nothing = wanted.value.trim() === "";
  return (
    <div class="search" role="search">
      <div class="field">
        <input
          type="search"
          id="find-method"
          ref={input}
          placeholder="Find a method…"
          aria-label="Find a method in the tree"
          value={wanted.value}
          onInput={(event) => typed(event.currentTarget.value)}
          onKeyDown={keys}
        />
        <button class="small" disabled={nothing} aria-label="Previous match" title="Previous match (Shift+Enter)" onClick={() => void find(true)}>
          ↑
        </button>
        <button class="small" disabled={nothing} aria-label="Next match" title="Next match (Enter)" onClick={() => void find(false)}>
          ↓
        </button>
      </div>
      <div class="switches">
        <button
          class="small"
          aria-pressed={only}
          disabled={nothing && !only}
          title="Show only calls of methods with this in their name, and what is above them"
          onClick={() => void show({ text: only ? "" : wanted.value.trim() })}
        >
          Matches only
        </button>
        <button
          class="small"
          aria-pressed={filter.value.program}
          title="Leave out calls into libraries in which no code of the program ran"
          onClick={() => void show({ program: !filter.value.program })}
        >
          Hide library calls
        </button>
        <span class="count" role="status">
          {nothing ? "" : count()}
        </span>
      </div>
    </div>
  );
}

function count(): string {
  const now = found.value;
  if (now === null) return "…";
  if (now.of === 0) return "none";
  const of = now.of.toLocaleString();
  if (now.at === null) return of;
  return `${(now.at + 1).toLocaleString()} of ${of}${now.round ? " ↻" : ""}`;
}
