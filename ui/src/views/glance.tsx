// A question at a glance: the few facts that it takes to judge it, in the order and with the folding that every client has.
// A single value or one of several calls can be called wrong right there.

import { SAYS } from "../ahead";
import { command } from "../commands";
import { select } from "../selection";
import { busy, judge } from "../state";
import type { Fact, Question } from "../wire";
import { Missing, Wrong } from "./question_facts";

export function Glance({ told }: { told: Question }) {
  if (told.facts.length === 0 && told.folded === null) return null;
  return (
    <div class="told">
      <table class="facts glance" role="table">
        <tbody role="rowgroup">
          {told.facts.map((fact, at) => (
            <Row key={at} fact={fact} told={told} />
          ))}
        </tbody>
      </table>
      {told.folded !== null && (
        <button class="folded" title="Show all of it" onClick={() => void command("more").run()}>
          {told.folded}
        </button>
      )}
    </div>
  );
}

const MARKED = { gave: "changed", threw: "changed", changed: "changed", wrote: "changed", still: "within", row: "", given: "faint", note: "faint" };

function Row({ fact, told }: { fact: Fact; told: Question }) {
  const { kind, label, text, name } = fact;
  return (
    <tr role="row" class={`fact-${kind}`}>
      <th scope="row" role="rowheader">
        {name === null ? (
          label
        ) : (
          <button class="location" title="Its history" onClick={() => select({ location: name, tab: "history" })}>
            {label}
          </button>
        )}
      </th>
      <td role="cell" class={MARKED[kind]}>
        <div class="value">
          {text}
          {kind === "changed" && <span class="hidden"> (changed)</span>}
        </div>
      </td>
      <td role="cell" class="acts">
        {kind === "changed" && name !== null && <Wrong about={told.subject} location={name} />}
        {kind === "gave" && !told.constructs && <Wrong about={told.subject} location="result" />}
        {kind === "gave" && told.result_is_object && <Missing about={told.subject} location={told.constructs ? "this" : "result"} />}
        {kind === "row" && fact.number !== null && <OddOne number={fact.number} label={label} />}
      </td>
    </tr>
  );
}

/** One of several calls is wrong, whatever the others are. */
function OddOne({ number, label }: { number: number; label: string }) {
  return (
    <button
      class="small"
      {...SAYS}
      aria-disabled={busy.value}
      aria-label={`Call ${label} is wrong`}
      title="This one is wrong"
      onClick={() => void judge({ call: { number } }, { answer: "n" })}
    >
      wrong
    </button>
  );
}
