// One event: what kind it is, what happened, what was read for it, and where.

import { markOf } from "../../marks";
import { select, selection } from "../../selection";
import type { EventRow } from "../../wire";
import type { Bundle } from "./bundles";
import { said } from "./bundles";

export const ROW = 22;
/** Omissions of one row that are shown one by one. */
export const LINES = 3;

/** What it is in a word; none for what is in no list. */
const KINDS: Record<EventRow["kind"], string | null> = {
  "thread-start": null,
  "thread-end": null,
  enter: "enter",
  exit: "return",
  return: "return",
  unwind: "left",
  call: "call",
  output: "output",
  field: "write",
  static: "write",
  element: "write",
  bulk: "write",
  seen: "seen",
  local: "local",
  branch: "branch",
  switch: "switch",
  new: "new",
  "new-array": "new",
  throw: "throw",
  catch: "catch",
  "monitor-enter": "lock",
  "monitor-exit": "unlock",
  gap: "gap",
  stop: "stop",
  named: null,
  sync: null,
  contents: null,
  fields: null,
};

/** Is there something in a call to be unfolded? */
export const hasMore = (event: EventRow) => event.child !== null && (event.child.events > 2 || event.child.calls > 1);

/** How many lines high a row is. */
export const linesOf = (bundle: Bundle) => 1 + (bundle.folded ? 0 : Math.min(bundle.balloons.length, LINES));

interface Props {
  id: string;
  event: EventRow;
  bundle: Bundle;
  /** It is the selected event, or stands for it. */
  chosen: "exact" | "within" | null;
  /** Events of one call need not say whose they are. */
  named: boolean;
  top: number;
  digits: number;
  choose: () => void;
  fold: (() => void) | null;
}

export function Row({ id, event, bundle, chosen, named, top, digits, choose, fold }: Props) {
  const word = KINDS[event.kind] ?? event.kind;
  const mark = event.mark === null ? null : markOf("value", event.mark);
  const { child } = event;
  const place = event.line === null ? "" : `${event.file ?? ""}:${event.line}`;
  const reads = event.reads.map(({ location, value }) => `${location} is ${value}`).join(", ");
  return (
    <div
      id={id}
      role="row"
      class={`event ${event.kind} ${event.mark ?? ""}`}
      style={{ top: `${top}px`, height: `${ROW * linesOf(bundle)}px` }}
      aria-level={event.level + 1}
      aria-selected={chosen !== null}
      aria-expanded={fold === null ? undefined : event.unfolded}
      title={`${event.text}${reads === "" ? "" : `\nread: ${reads}`}${place === "" ? "" : `\n${place}`}`}
      onClick={choose}
      onDblClick={() => child !== null && select({ call: child.number })}
    >
      <div class="main">
        <span role="gridcell" class="time" style={{ width: `${digits}ch` }}>
          {event.time}
        </span>
        <span role="gridcell" class="mark" aria-label={mark?.means} title={mark?.means}>
          {mark?.sign ?? ""}
        </span>
        <span role="gridcell" class="what" style={{ paddingLeft: `${event.level * 14}px` }}>
          {fold === null ? (
            <span class="twist" />
          ) : (
            <button
              class="twist"
              tabIndex={-1}
              aria-label={event.unfolded ? "Fold" : "Unfold"}
              onClick={(click) => {
                click.stopPropagation();
                fold();
              }}
            >
              {event.unfolded ? "▾" : "▸"}
            </button>
          )}
          <span class="word">{word}</span>
          <span class="text">{event.details}</span>
          {event.role !== null && <span class="aside">as {event.role}</span>}
          {reads !== "" && <span class="aside">{reads}</span>}
        </span>
        {chosen === "within" && (
          <span role="gridcell" class="holds" title="The selected event is in this call">
            holds {selection.value.time}
          </span>
        )}
        {bundle.folded && (
          <span role="gridcell" class="bundle">
            <span class="balloon" role="note" title={bundle.balloons.map(said).join("\n")}>
              {bundle.balloons.length} missing
            </span>
          </span>
        )}
        {chosen === "exact" && event.location !== null && event.location !== selection.value.location && (
          <span role="gridcell">
            <button
              class="small"
              tabIndex={-1}
              title={`Mark every change of ${event.location} (Enter)`}
              onClick={(click) => {
                click.stopPropagation();
                select({ location: event.location });
              }}
            >
              its changes
            </button>
          </span>
        )}
        <span role="gridcell" class="place" title={place}>
          {named && event.call !== null && <span class="in">{event.call}</span>}
          {event.line === null ? "" : `:${event.line}`}
        </span>
      </div>
      {!bundle.folded &&
        bundle.balloons.slice(0, LINES).map((balloon, at) => (
          <div role="gridcell" class="omitted" style={{ paddingLeft: `calc(${digits}ch + ${event.level * 14 + 48}px)` }}>
            <span class="balloon" role="note" title={bundle.balloons.map(said).join("\n")}>
              left out: {said(balloon)}
              {at === LINES - 1 && bundle.balloons.length > LINES && ` and ${bundle.balloons.length - LINES} more`}
            </span>
          </div>
        ))}
    </div>
  );
}
