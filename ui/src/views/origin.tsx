// Where a value came from: what it was computed from, back to constants and input. It is asked at one moment and stays
// that answer while somebody follows it through the views.

import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { api } from "../api";
import { useLoaded } from "../load";
import { select, selection } from "../selection";
import type { Slice } from "../wire";
import { useChoices } from "./list";
import { LocationBox } from "./location";
import { useMoment } from "./moment";
import { useOutcome } from "./outcome";
import { SourceLink } from "./source_link";

/** What was asked about, and when. */
const asked = signal<{ location: string; at: number } | null>(null);

const ROWS = 100;
const MAX_ROWS = 1000;

/** Why a trail is not whole. */
const CUTS: Record<NonNullable<Slice["cut"]>, string> = {
  rows: "there is more",
  time: "looking further back would take too long",
};

const WHY: Record<Slice["rows"][number]["why"], string> = {
  value: "its value was used",
  address: "it said which place",
  condition: "it decided that this was done",
  perhaps: "it may have been used: what stands between was not recorded",
};

export function Origin() {
  const outcome = useOutcome();
  const { location } = outcome;
  const moment = useMoment();
  const count = useSignal(ROWS);
  const far = useSignal(false);
  const now = asked.value;
  useEffect(() => {
    if (location !== null && moment !== null && now?.location !== location) {
      asked.value = { location, at: moment };
      count.value = ROWS;
      far.value = false;
    }
  }, [location, moment]);
  const found = useLoaded(
    () => (now === null || now.location !== location ? null : api.slice(now.location, now.at, count.value, far.value)),
    [now, location, count.value, far.value],
  );
  const trail = location === null ? null : found.value;
  return (
    <div class="origin">
      <LocationBox error={found.error} shown={location} />
      {location === null && (
        <p class="faint">{outcome.loading ? "Looking…" : "Where a value came from is shown here. Choose one in the state, or name it above."}</p>
      )}
      {trail !== null && now !== null && (
        <>
          <div class="above">
            <h3>
              {trail.location} <span class="faint">as of event {trail.time}</span>
            </h3>
            {moment !== null && moment !== now.at && (
              <button class="small" onClick={() => (asked.value = { ...now, at: moment })}>
                ask as of event {moment}
              </button>
            )}
          </div>
          <SliceRows trail={trail} loading={found.loading} />
          <p class="faint">
            {trail.cut !== null && `This is not all: ${CUTS[trail.cut]}. `}
            {trail.unknown > 0 && `At ${trail.unknown} ${trail.unknown === 1 ? "place" : "places"} it ends because nothing was recorded there.`}
          </p>
          {trail.cut === "time" && !far.value && (
            <button class="small" disabled={found.loading} onClick={() => (far.value = true)}>
              look further back
            </button>
          )}
          {trail.cut === "rows" && count.value < MAX_ROWS && (
            <button class="small" disabled={found.loading} onClick={() => (count.value = Math.min(MAX_ROWS, count.value * 3))}>
              more
            </button>
          )}
        </>
      )}
      {trail === null && found.loading && <p class="faint">Looking back…</p>}
    </div>
  );
}

function SliceRows({ trail, loading }: { trail: Slice; loading: boolean }) {
  const { time } = selection.value;
  const start = trail.rows.findIndex((row) => row.time === time);
  const choose = (at: number) => {
    const row = trail.rows[at];
    // It stays what is shown, whatever comes out of the other call.
    if (row !== undefined) select({ call: row.number, time: row.time, location: trail.location });
  };
  const choices = useChoices(trail.rows.length, Math.max(0, start), choose);
  if (trail.rows.length === 0) return <p>Nothing that is recorded led to it.</p>;
  return (
    <ol
      class="events trail"
      role="listbox"
      aria-label={`Origins of ${trail.location}, the latest first`}
      aria-busy={loading}
      ref={choices.list}
      onKeyDown={choices.onKeyDown}
    >
      {trail.rows.map((row, at) => (
        <li
          key={`${row.time} ${at}`}
          role="option"
          class={`event ${row.why}`}
          aria-selected={row.time === time}
          tabIndex={at === choices.at ? 0 : -1}
          onClick={() => choose(at)}
        >
          <span class="time">{row.time}</span>
          <span class="why" title={WHY[row.why]}>
            {row.why}
          </span>
          <span class="text">{row.text}</span>
          <SourceLink call={row.call} class={row.class} file={row.file} line={row.line} />
        </li>
      ))}
    </ol>
  );
}
