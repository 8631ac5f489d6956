// What could have happened to an object and did not, and where that was prevented. Operations that do not matter can be
// hidden by their method; the balloons in the other views go with them.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { select, selection } from "../selection";
import { balloons, findMissing, hidden, missing, operationOf, searching } from "../state";
import type { Balloon, Omissions } from "../wire";
import { useOutcome } from "./outcome";

/** What a prevention is called. */
const KINDS: Record<Balloon["at"]["kind"], string> = {
  branch: "by a condition",
  switch: "by a switch",
  "loop-end": "by the end of a loop",
  return: "by a return",
  throw: "by an exception",
  dispatch: "because another method was called",
  uncalled: "because nobody calls it",
};

const GROUPS: [string, (balloon: Balloon) => boolean][] = [
  ["could have happened to it and did not", (one) => !one.instead && one.extent !== "partial"],
  ["happened to it, but maybe not often enough", (one) => !one.instead && one.extent === "partial"],
  ["did not happen, but something else was done to it instead", (one) => one.instead],
];

export function Missing() {
  const found = missing.value;
  const { holder } = useOutcome();
  const { location, time } = selection.value;
  // Nothing was named: it begins with an object of the selected call.
  useEffect(() => {
    const untouched = missing.value === null && searching.value === null;
    if (untouched && location === null && holder !== null) void findMissing(holder, time, false, false);
  }, [holder, location]);
  return (
    <div class="missing-view">
      <Ask />
      {searching.value !== null && (
        <p role="status">
          Looking for what could have happened to <strong>{searching.value}</strong>… The first search of a recording may take
          a while; everything else can be used meanwhile.
        </p>
      )}
      {found === null && searching.value === null && (
        <p class="faint">
          For an object that lacks something, such as an element that was never added: name it here, or choose <em>missing</em>{" "}
          beside it in the state. What could have happened to it and did not is shown here, in the tree and in the event list.
        </p>
      )}
      {found !== null && searching.value === null && <OmissionList found={found} />}
    </div>
  );
}

/** Asks about anything at the selected moment. */
function Ask() {
  const { time, location } = selection.value;
  const text = useSignal("");
  const reads = useSignal(false);
  const wanted = text.value.trim() === "" ? (location ?? "") : text.value.trim();
  const go = (event: Event) => {
    event.preventDefault();
    if (wanted !== "") void findMissing(wanted, time, reads.value);
  };
  return (
    <form onSubmit={go}>
      <label class="hidden" for="missing-of">
        Object or location
      </label>
      <input
        id="missing-of"
        type="text"
        placeholder={location ?? "ArrayList@1, this.list"}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button class="do" disabled={wanted === ""}>
        What is missing there?
      </button>
      <label class="faint">
        <input
          type="checkbox"
          checked={reads.value}
          onChange={(event) => {
            reads.value = event.currentTarget.checked;
            const known = missing.value;
            if (known !== null) void findMissing(known.object, known.time, reads.value);
          }}
        />{" "}
        show reads too
      </label>
      <span class="faint">{time === null ? "as it was at the end" : `as it was at ${time}`}</span>
    </form>
  );
}

function OmissionList({ found }: { found: Omissions }) {
  const list = balloons.value;
  return (
    <>
      {GROUPS.map(([what, fits]) => {
        const group = list.filter(fits);
        if (group.length === 0) return null;
        return (
          <>
            <h3>
              {found.object} <span class="faint">{what}</span>
            </h3>
            <ul class="balloons">
              {group.map((balloon) => (
                <One balloon={balloon} />
              ))}
            </ul>
          </>
        );
      })}
      {found.balloons.length === 0 && (
        <>
          <h3>
            {found.object} <span class="faint">{found.partial.length === 0 ? "no sign of an omission" : "nothing found"}</span>
          </h3>
          <p>{instead(found)}</p>
          {found.nothing === null && (
            <p>
              <button class="small" onClick={() => select({ location: found.object, about: found.object, tab: "events" })}>
                everything that happened to it
              </button>
            </p>
          )}
        </>
      )}
      {hidden.value.size > 0 && (
        <p class="faint">
          Hidden:{" "}
          {[...hidden.value].map((name) => (
            <button
              class="small"
              aria-label={`Show ${name} again`}
              onClick={() => (hidden.value = new Set([...hidden.value].filter((other) => other !== name)))}
            >
              {name} ({found.balloons.filter((one) => operationOf(one) === name).length}) ×
            </button>
          ))}
        </p>
      )}
      {found.partial.map((why) => (
        <p class="faint">This may not be all: {why}</p>
      ))}
      {found.reads > 0 && <p class="faint">{found.reads} that would only have read it: not shown.</p>}
    </>
  );
}

function One({ balloon }: { balloon: Balloon }) {
  const { at } = balloon;
  const name = operationOf(balloon);
  const often = `${balloon.more ? "at least " : ""}${balloon.events.toLocaleString()} times`;
  const chosen = selection.value.time !== null && balloon.times.includes(selection.value.time);
  return (
    <li>
      <button
        class={`line ${chosen ? "chosen" : ""}`}
        onClick={() => select({ call: at.number, time: at.time, about: null })}
        title="Go to where it was prevented"
      >
        <strong>{balloon.operation}</strong>
        {balloon.certainty === "possible" && " (maybe: it could have been another object)"}
        {balloon.file !== null && <span class="faint"> {`${balloon.file}:${balloon.line ?? "?"}`}</span>}
        {balloon.chain.length > 0 && <span class="place">through {balloon.chain.join(" → ")}</span>}
        <span class="place">
          prevented {KINDS[at.kind]} at {`${at.file ?? "?"}:${at.line ?? "?"}`} in {at.call}, time {at.time}
          {(balloon.events > 1 || balloon.more) && `, ${often}`}
        </span>
      </button>
      <button class="small" onClick={() => (hidden.value = new Set([...hidden.value, name]))} title={`Hide everything that ends in ${name}`}>
        hide {name}
      </button>
    </li>
  );
}

/** What the history says where nothing was left out. */
function instead(found: Omissions): string {
  if (found.nothing !== null) return found.nothing;
  const hint = "its history and origin tell where a wrong value came from";
  const most = found.writers[0];
  if (found.partial.length > 0) return "Not everything could be looked at.";
  if (found.writes === 0) return `Nothing was written to it after it was made, and no code of the program would have; ${hint}.`;
  if (most === undefined) return `If a wrong value was written: ${hint}.`;
  const times = found.writes === 1 ? "once" : `${found.writes.toLocaleString()} times`;
  return `It was written ${times} after it was made, most often by ${most.method}; ${hint}.`;
}
