// Every write to a location over the whole run, from around the moment that is shown; choosing one moves all views
// there.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { Refused, api } from "../api";
import { select, selection } from "../selection";
import { attempt, version } from "../state";
import type { Write } from "../wire";
import { useChoices } from "./list";
import { Graph } from "./graph";
import { LocationBox } from "./location";
import { useMoment } from "./moment";
import { useOutcome } from "./outcome";
import { SourceLink } from "./source_link";

/** Writes that are asked for at once, in each direction. */
const PAGE = 100;
/** More than this are not kept: what lies farther from where somebody reads is asked for again. */
const KEPT = 3000;

interface Shown {
  asked: string;
  location: string;
  entries: Write[];
  earlier: boolean;
  later: boolean;
}

const MANNERS: Record<Write["manner"], string> = {
  written: "written",
  library: "by a library",
  seen: "seen",
  created: "created",
};

export function History() {
  const outcome = useOutcome();
  const location = selection.value.location ?? outcome.location;
  const moment = useMoment();
  const shown = useSignal<Shown | null>(null);
  const error = useSignal<string | null>(null);
  const loading = useSignal(false);

  const load = async (around: number | null, before: number, after: number) => {
    if (location === null) return;
    loading.value = true;
    try {
      const told = await api.history(location, moment, around, before, after);
      if ((selection.value.location ?? outcome.location) !== location) return;
      error.value = null;
      shown.value = { asked: location, location: told.location, entries: told.entries, earlier: told.earlier, later: told.more };
      // From here on by the name that means the same at every moment.
      if (told.location !== location && selection.value.location !== null) select({ location: told.location }, true);
    } catch (refused) {
      shown.value = null;
      error.value = refused instanceof Refused ? refused.message : String(refused);
    } finally {
      loading.value = false;
    }
  };
  useEffect(() => {
    const now = shown.value;
    if (location === null || moment === null) return;
    const known = now !== null && (now.location === location || now.asked === location);
    const [first, last] = [now?.entries[0], now?.entries[now.entries.length - 1]];
    const outside =
      now !== null && ((now.earlier && first !== undefined && moment < first.time) || (now.later && last !== undefined && moment > last.time));
    if (!known || outside) void load(moment, PAGE, PAGE);
  }, [location, moment]);
  useEffect(() => {
    if (shown.value !== null && moment !== null) void load(moment, PAGE, PAGE);
  }, [version.value]);

  const extend = async (back: boolean) => {
    const now = shown.value;
    const edge = back ? now?.entries[0] : now?.entries[now.entries.length - 1];
    if (now === null || edge === undefined || loading.value) return;
    loading.value = true;
    const around = back ? edge.time - 1 : edge.time;
    const told = await attempt(() => api.history(now.location, null, around, back ? PAGE : 0, back ? 0 : PAGE));
    loading.value = false;
    if (told === null || shown.value !== now) return;
    const entries = back ? [...told.entries, ...now.entries] : [...now.entries, ...told.entries];
    const kept = back ? entries.slice(0, KEPT) : entries.slice(-KEPT);
    const cut = kept.length < entries.length;
    shown.value = back
      ? { ...now, entries: kept, earlier: told.earlier, later: now.later || cut }
      : { ...now, entries: kept, later: told.more, earlier: now.earlier || cut };
  };

  const list = shown.value;
  const entries = list?.entries ?? [];
  // The write that holds at the moment: the last one up to it.
  const holds = moment === null ? -1 : entries.findLastIndex((entry) => entry.time <= moment);
  const choose = (at: number) => {
    const entry = entries[at];
    if (entry === undefined) return;
    choices.forget();
    select({ call: entry.number ?? selection.value.call, time: entry.time, location: list?.location ?? location });
  };
  const several = new Set(entries.map((entry) => entry.thread)).size > 1;
  const choices = useChoices(entries.length, Math.max(0, holds), choose);
  useEffect(() => {
    choices.list.current?.querySelectorAll("[role=option]")[holds]?.scrollIntoView({ block: "nearest" });
  }, [holds, list?.location]);
  return (
    <div class="history">
      <LocationBox error={error.value} shown={location} />
      {location === null && <p class="faint">{outcome.loading ? "Looking…" : "Every value that a variable, field or element had is listed here. Choose one in the state, or name it above."}</p>}
      {list !== null && (
        <>
          <div class="above">
            <h3>{list.location}</h3>
            <span class="pages">
              <button class="small" disabled={!list.earlier} onClick={() => void load(null, 0, 2 * PAGE)}>
                first
              </button>
              <button class="small" disabled={!list.earlier} onClick={() => void extend(true)}>
                earlier
              </button>
              <button class="small" disabled={!list.later} onClick={() => void extend(false)}>
                later
              </button>
              <button class="small" disabled={!list.later} onClick={() => void load(Number.MAX_SAFE_INTEGER, 2 * PAGE, 0)}>
                last
              </button>
            </span>
          </div>
          <Graph writes={entries} holds={holds} choose={choose} />
          <ol
            class={several ? "events writes threads" : "events writes"}
            role="listbox"
            aria-label={`Writes to ${list.location}`}
            aria-busy={loading.value}
            ref={choices.list}
            onKeyDown={choices.onKeyDown}
          >
            {entries.map((entry, at) => (
              <li
                key={entry.time}
                role="option"
                class={`event write ${at === holds ? "holds" : ""} ${moment !== null && entry.time > moment ? "to-come" : ""}`}
                aria-selected={at === holds && entry.time === moment}
                aria-current={at === holds ? "true" : undefined}
                tabIndex={at === choices.at ? 0 : -1}
                title={at === holds ? "This is what it holds at the moment that is shown" : undefined}
                onClick={() => choose(at)}
              >
                <span class="now">{at === holds ? "▶" : ""}</span>
                <span class="time">{entry.time}</span>
                <span class="text">{entry.value}</span>
                <span class={`manner ${entry.manner}`}>{MANNERS[entry.manner]}</span>
                {several && (
                  <span class="thread" title="The thread that wrote it">
                    thread {entry.thread}
                  </span>
                )}
                <SourceLink call={entry.call} class={entry.class} file={entry.file} line={entry.line} />
              </li>
            ))}
          </ol>
          {entries.length === 0 && !loading.value && (
            <p class="faint">
              {list.earlier || list.later
                ? "No write near the moment that is shown. The call is too long to look through all of it: its first and last writes can be shown."
                : "Nothing was written to it."}
            </p>
          )}
          {entries.length > 0 && holds < 0 && !list.earlier && <p class="faint">Up to the moment that is shown nothing was written to it.</p>}
        </>
      )}
    </div>
  );
}
