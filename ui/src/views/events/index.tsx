// What happened in the selected call, in order, with callees unfolded in place; or everything about one object in the
// whole run. The selected event is the moment up to which all other views show.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";

import { taken } from "../../ahead";
import { api } from "../../api";
import { command } from "../../commands";
import { select, selection } from "../../selection";
import { version } from "../../state";
import type { EventRow } from "../../wire";
import { naming } from "./commands";
import { List } from "./list";
import { Window } from "./window";

/** Unfolded calls, and the call whose list they are in. It stays while what is selected is in an unfolded call. */
const shown = signal<{ root: number; unfolded: ReadonlySet<number> }>({ root: 0, unfolded: new Set() });

/** The object that what is listed is a part of. */
const partOf = signal<{ about: string; object: string | null } | null>(null);

export function Events({ call }: { call: number }) {
  const { about } = selection.value;
  return (
    <div class="events-view">
      <div class="events-bar">
        <Steps />
        <Filter />
      </div>
      {about === null ? <OfCall call={call} /> : <About about={about} />}
    </div>
  );
}

function OfCall({ call }: { call: number }) {
  const { time, location } = selection.value;
  const now = shown.value;
  const root = now.root === call || now.unfolded.has(call) ? now.root : call;
  const unfolded = root === now.root ? now.unfolded : new Set<number>();
  useEffect(() => {
    if (shown.value.root !== root) shown.value = { root, unfolded: new Set() };
  }, [root]);
  const part = useMemo(() => new Window((around) => api.eventRows(root, around, [], null)), [root]);
  /** What is unfolded stays in sight. */
  const anchor = useRef<number | null>(null);
  const key = [...unfolded].join();
  useLayoutEffect(() => {
    const load = (around: Parameters<typeof api.eventRows>[1]) => api.eventRows(root, around, [...unfolded], location);
    const at = anchor.current ?? selection.value.time ?? part.rows[0]?.time ?? null;
    anchor.current = null;
    void part.jump(at, load);
  }, [part, key, location, version.value]);
  const fold = (child: number) => {
    const next = new Set(unfolded);
    if (!next.delete(child)) next.add(child);
    shown.value = { root, unfolded: next };
    const row = part.rows.find((one) => one.child?.number === child);
    anchor.current = row?.time ?? null;
    // What was selected within a call that is folded now is not to be unfolded by that again.
    if (row !== undefined && selection.value.call !== root && !next.has(selection.value.call ?? -1)) {
      select({ call: row.number, time: row.time }, true);
    }
  };
  const choose = (event: EventRow) => {
    const of = event.level === 0 ? root : (event.number ?? root);
    select({ call: of, time: event.time }, true);
  };
  return (
    <List
      label="Events of the call"
      window={part}
      root={root}
      time={time}
      choose={choose}
      fold={fold}
      enter={(event) => select(event.child === null ? { location: event.location } : { call: event.child.number })}
    />
  );
}

/** Everything that happened to an object or a location in the whole run. */
function About({ about }: { about: string }) {
  const { time } = selection.value;
  const part = useMemo(() => {
    const { call, time: meant } = selection.value;
    return new Window((around) => api.about(about, around, call, meant));
  }, [about]);
  const failed = useSignal<string | null>(null);
  useLayoutEffect(() => {
    failed.value = null;
    void part.jump(selection.value.time).then((found) => {
      if (found) partOf.value = { about: part.about ?? about, object: part.partOf };
      if (found && part.about !== null && part.about !== about) select({ about: part.about }, true);
      if (!found && part.rows.length === 0) failed.value = "There is nothing of this name at the selected moment.";
    });
  }, [part, version.value]);
  void part.version.value;
  if (failed.value !== null && part.rows.length === 0 && !part.loading.value) return <p class="warn">{failed.value}</p>;
  return (
    <List
      label={`Events about ${about}`}
      window={part}
      root={null}
      time={time}
      choose={(event) => select({ call: event.number ?? selection.value.call, time: event.time }, true)}
      fold={null}
      enter={(event) => select(event.child === null ? { about: null } : { call: event.child.number, about: null })}
    />
  );
}

/** Says that not everything is listed, and how to get back; or asks for what to list only. */
function Filter() {
  const { about, location } = selection.value;
  const text = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!naming.value || field.current === null) return;
    naming.value = false;
    text.value = taken();
    field.current.focus();
  }, [naming.value]);
  if (about !== null) {
    const whole = partOf.value?.about === about ? partOf.value.object : null;
    return (
      <p class="filter on" role="status">
        Only events about <strong>{about}</strong>, in the whole run{" "}
        {whole !== null && (
          <button class="small" onClick={() => select({ about: whole })}>
            all about {whole}
          </button>
        )}
        <button class="small" onClick={() => select({ about: null })}>
          all events of the call
        </button>
      </p>
    );
  }
  const go = (event: Event) => {
    event.preventDefault();
    const wanted = text.value.trim() === "" ? location : text.value.trim();
    if (wanted !== null) select({ about: wanted });
  };
  return (
    <form class="filter" onSubmit={go}>
      <label>
        only events about{" "}
        <input
          type="text"
          id="only-about"
          ref={field}
          aria-label="Only events about"
          placeholder={location ?? "ArrayList@1"}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button class="small">show</button>
    </form>
  );
}

/** Each direction with its arrow and its name. */
const STEPS: [id: string, sign: string, name: string][] = [
  ["first", "⇤", "first"],
  ["back-out", "↖", "back out"],
  ["back-over", "←", "back"],
  ["back-into", "↙", "back into"],
  ["into", "↘", "into"],
  ["over", "→", "next"],
  ["out", "↗", "out"],
  ["last", "⇥", "last"],
];

function Steps() {
  const { location } = selection.value;
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("button:not(:disabled)")];
    const now = all.indexOf(document.activeElement as HTMLElement);
    all[(now + by + all.length) % all.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="steps" role="toolbar" aria-label="Steps" onKeyDown={move}>
      {STEPS.map(([id, sign, name], at) => (
        <StepButton key={id} id={id} sign={sign} name={name} first={at === 0} />
      ))}
      {location !== null && (
        <span class="of" title={location}>
          <StepButton id="last-write" sign="‹" name="last" />
          <span class="faint">change of</span> <span class="location-name">{location}</span>
          <StepButton id="next-write" sign="›" name="next" />
          <button class="small" tabIndex={-1} aria-label="No location" title="No location" onClick={() => select({ location: null })}>
            ×
          </button>
        </span>
      )}
    </div>
  );
}

/** One of the toolbar's buttons: it is one stop for the tab key, and arrows go from button to button. */
function StepButton({ id, sign, name, first = false }: { id: string; sign: string; name: string; first?: boolean }) {
  const { title, keys, enabled, run } = command(id);
  return (
    <button
      class="step"
      tabIndex={first ? 0 : -1}
      data-command={id}
      disabled={!enabled()}
      aria-label={`${name}: ${title}`}
      title={`${title} (${keys.join(", ")})`}
      onClick={() => void run()}
    >
      <span aria-hidden="true">{sign}</span> {name}
    </button>
  );
}
