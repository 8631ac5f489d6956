// Steps from event to event, and which events are listed: what the keys and the buttons above the event list do.

import { signal } from "@preact/signals";

import { expect } from "../../ahead";
import { api } from "../../api";
import type { Command } from "../../commands";
import { select, selection } from "../../selection";
import { attempt, notice, tell } from "../../state";
import type { StepDirection } from "../../wire";

const inCall = () => selection.value.call !== null;

const FIRST = { at: null, before: 0, after: 1 };
const NOTHING = "There is nothing in that direction.";

/** Steps one after the other, each from where the last one led. */
let steps: Promise<void> = Promise.resolve();
let waiting = 0;

function step(direction: StepDirection): Promise<void> {
  // A key that is held down must not run on after it is let go.
  if (waiting > 2) return steps;
  waiting += 1;
  steps = steps.then(() => go(direction)).finally(() => {
    waiting -= 1;
  });
  return steps;
}

async function go(direction: StepDirection): Promise<void> {
  const { call, time, location } = selection.value;
  if (call === null) return;
  let from = time;
  if (from === null) {
    // The first step leads into the call, from the side that it comes from.
    if (direction === "over" || direction === "into") return edge("first");
    if (direction === "back-over" || direction === "back-into") return edge("last");
    const page = await attempt(() => api.eventRows(call, FIRST, [], null));
    if (page === null) return;
    from = direction === "next-write" || direction === "out" ? page.from : page.to;
  }
  const writes = direction === "next-write" || direction === "last-write";
  if (writes && location === null) return tell("Choose a location first: its changes are meant.");
  const start = from;
  const found = await attempt(async () => ({
    event: await api.step({ time: start, direction, location: writes ? location : null }),
  }));
  if (found === null) return;
  const { event } = found;
  if (event === null) return tell(NOTHING);
  if (notice.value?.text === NOTHING) notice.value = null;
  select({ call: event.number ?? call, time: event.time });
}

/** The first or the last event of the selected call. */
async function edge(which: "first" | "last"): Promise<void> {
  const { call } = selection.value;
  if (call === null) return;
  let page = await attempt(() => api.eventRows(call, FIRST, [], null));
  if (which === "last" && page !== null) {
    const { to } = page;
    page = await attempt(() => api.eventRows(call, { at: to, before: 1, after: 1 }, [], null));
  }
  const event = which === "first" ? page?.rows[0] : page?.rows.at(-1);
  if (event !== undefined && selection.value.call === call) select({ time: event.time });
}

/** Somebody is about to type what events are to be about: the field takes the keyboard when it is there. */
export const naming = signal(false);

/** The events about the selected location, or the box that asks for another. */
function only(): void {
  const { location } = selection.value;
  if (location === null) {
    expect();
    naming.value = true;
  }
  select({ tab: "events", about: location });
}

export const stepCommands: Command[] = [
  { id: "over", title: "Next event, over calls", group: "Step", keys: ["F10", "j"], enabled: inCall, run: () => step("over") },
  { id: "back-over", title: "Event before, over calls", group: "Step", keys: ["Shift+F10", "k"], enabled: inCall, run: () => step("back-over") },
  { id: "into", title: "Next event, into calls", group: "Step", keys: ["F11", "F9", "J"], enabled: inCall, run: () => step("into") },
  { id: "back-into", title: "Event before, into calls", group: "Step", keys: ["Shift+F9", "K"], enabled: inCall, run: () => step("back-into") },
  { id: "out", title: "Out: to the call's end, then its caller", group: "Step", keys: ["Shift+F11", "l"], enabled: inCall, run: () => step("out") },
  { id: "back-out", title: "Back out: to where the call began, then its caller", group: "Step", keys: ["h"], enabled: inCall, run: () => step("back-out") },
  { id: "last-write", title: "Last change of the location", group: "Step", keys: ["<"], enabled: inCall, run: () => step("last-write") },
  { id: "next-write", title: "Next change of the location", group: "Step", keys: [">"], enabled: inCall, run: () => step("next-write") },
  { id: "first", title: "First event of the call", group: "Step", keys: ["g"], enabled: inCall, run: () => edge("first") },
  { id: "last", title: "Last event of the call", group: "Step", keys: ["G"], enabled: inCall, run: () => edge("last") },
  { id: "thrown", title: "To where the last exception was thrown", group: "Step", keys: ["x"], enabled: inCall, run: () => step("thrown") },
  { id: "about", title: "Filter: only events about one variable or object", group: "Step", keys: ["f"], enabled: inCall, run: only },
  {
    id: "about-all",
    title: "No filter: all events of the call",
    group: "Step",
    keys: ["F"],
    enabled: () => selection.value.about !== null,
    run: () => select({ about: null, tab: "events" }),
  },
];
