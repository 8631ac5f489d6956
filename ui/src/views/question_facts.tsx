// What there is to see of a question: values before and after, changes marked, what was read, what came out. Where a
// single value can be to blame, it can be said right there.

import type { ComponentChildren } from "preact";

import { SAYS } from "../ahead";
import { markOf } from "../marks";
import { select } from "../selection";
import { busy, judge } from "../state";
import type { ChangedLocation, Question, QuestionPart, Subject } from "../wire";

interface Props {
  told: Question;
  /** Single values can be called wrong or missing. */
  mark?: boolean;
}

export function QuestionFacts({ told, mark }: Props) {
  const parts = [...(told.receiver === null ? [] : [told.receiver]), ...told.args];
  const about = mark === true ? told.subject : null;
  // What a constructor made is no value that it gave: it is known as `this`.
  const made = told.constructs;
  const news = (part: QuestionPart) => part.after !== null || part.parts.length > 0;
  const nothing = parts.length + told.reads.length + told.changes.length === 0 && told.result === null && told.thrown === null;
  return (
    <div class="told">
      {told.members.length > 0 && (
        <details class="members" open={told.members.length <= 6}>
          <summary>
            {told.members.length} {told.members.length === 1 ? "call" : "calls"} in one question
          </summary>
          <ol>
            {told.members.map((member, at) => (
              <li key={at}>{member}</li>
            ))}
          </ol>
        </details>
      )}
      {!nothing && (
        // What came out, then what changed, then what it was given: in this order it is judged.
        <table class="facts" role="table">
          <thead class="hidden" role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">
                what
              </th>
              <th scope="col" role="columnheader">
                value, before and after
              </th>
              {about !== null && (
                <th scope="col" role="columnheader">
                  say about it
                </th>
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {told.thrown !== null && (
              <FactRow name="threw" kind="changed" about={about}>
                <Value text={told.thrown} />
              </FactRow>
            )}
            {told.result !== null && (
              <FactRow name="result" kind={told.result === "void" ? "faint" : "outcome"} about={about} wrong={told.result !== "void" && !made ? "result" : null} missing={told.result_is_object ? (made ? "this" : "result") : null}>
                <Value text={told.result} />
              </FactRow>
            )}
            {told.changes.map((change) => (
              <ChangeRows key={change.name} change={change} about={about} level={0} />
            ))}
            {[...parts.filter(news), ...parts.filter((part) => !news(part))].map((part) => (
              <PartRows key={part.name} part={part} about={about} call={told.call} />
            ))}
            {told.iterations !== null && (
              <FactRow name="iterations" kind="" about={about}>
                <Value text={told.iterations.toLocaleString()} />
              </FactRow>
            )}
            {told.reads.map(({ location, value }) => (
              <FactRow key={location} name={location} badge="read" kind="" about={about} wrong={location}>
                <Value text={value} />
              </FactRow>
            ))}
          </tbody>
        </table>
      )}
      {!told.finished && <p class="note">It has not ended: this is what it did so far.</p>}
      {told.note !== null && told.finished && <p class="note">{told.note}</p>}
    </div>
  );
}

interface FactProps {
  name: string;
  /** What kind of row it is: `read`. */
  badge?: string;
  /** Its history can be looked at under this name. */
  history?: string;
  kind: string;
  inner?: boolean;
  about: Subject | null;
  /** What can be called wrong about it, and where something can be missing. */
  wrong?: string | null;
  missing?: string | null;
  children: ComponentChildren;
}

/** A name, what there is to say of it over the full width, and what can be said about it. */
function FactRow({ name, badge, history, kind, inner, about, wrong, missing, children }: FactProps) {
  return (
    <tr role="row" class={inner === true ? "inner" : ""}>
      <th scope="row" role="rowheader">
        {badge !== undefined && <span class="kind">{badge}</span>}
        {history === undefined ? (
          name
        ) : (
          <button class="location" title="Its history" onClick={() => select({ location: history, tab: "history" })}>
            {name}
          </button>
        )}
      </th>
      <td role="cell" class={kind}>
        {children}
      </td>
      {about !== null && (
        <td role="cell" class="acts">
          {wrong != null && <Wrong about={about} location={wrong} />}
          {missing != null && <Missing about={about} location={missing} />}
        </td>
      )}
    </tr>
  );
}

function PartRows({ part, about, call }: { part: QuestionPart; about: Subject | null; call: string }) {
  const kind = part.after !== null ? (part.itself ? "changed" : "within") : part.changed ? "within" : "";
  return (
    <>
      <FactRow
        name={part.name}
        history={`${call}:${part.name}`}
        kind={kind}
        about={about}
        wrong={part.itself ? part.name : null}
        missing={part.is_object ? part.name : null}
      >
        {part.after === null ? <Value text={part.before} note={part.changed ? "within" : null} /> : <Became before={part.before} after={part.after} mark={part.itself ? "changed" : "within"} />}
      </FactRow>
      {part.parts.map((change) => (
        <ChangeRows key={change.name} change={change} about={about} level={1} />
      ))}
    </>
  );
}

function ChangeRows({ change, about, level }: { change: ChangedLocation; about: Subject | null; level: number }) {
  const mark = change.within ? "within" : "changed";
  return (
    <>
      <FactRow
        name={change.location}
        history={change.name}
        kind={mark}
        inner={level > 0}
        about={about}
        wrong={change.parts.length === 0 ? change.name : null}
        missing={change.within ? change.location : null}
      >
        {change.before === "" ? <Value text={change.after} /> : <Became before={change.before} after={change.after} mark={mark} />}
        {change.meanwhile && <p class="note">{change.meanwhile.told}</p>}
      </FactRow>
      {change.parts.map((inner) => (
        <ChangeRows key={inner.name} change={inner} about={about} level={level + 1} />
      ))}
    </>
  );
}

/** Values of so many letters stand on one line, before and after. */
const SHORT = 48;

/** What it was and what it is: one after the other if that fits, else one below the other. What the colour says is said too. */
function Became({ before, after, mark }: { before: string; after: string; mark: "changed" | "within" }) {
  const { sign, means } = markOf("value", mark);
  const short = before.length + after.length <= SHORT;
  return (
    <div class={short ? "became" : "became long-values"}>
      <Value text={before} class="was" />
      <span class="arrow" title={means}>
        <span aria-hidden="true">{mark === "within" ? sign : "→"}</span>
        <span class="hidden"> {means} </span>
      </span>
      <Value text={after} class="is" />
    </div>
  );
}

/** A value; long ones scroll in their own place. */
function Value({ text, class: kind, note }: { text: string; class?: string; note?: "within" | null }) {
  const long = text.length > 400;
  return (
    <div class={`value ${kind ?? ""} ${long ? "long" : ""}`} {...(long ? { tabIndex: 0, role: "group", "aria-label": "Long value" } : {})}>
      {text}
      {note != null && <span class="note"> {markOf("value", note).means}</span>}
    </div>
  );
}

export function Wrong({ about, location }: { about: Subject; location: string }) {
  return (
    <button
      class="small"
      {...SAYS}
      aria-disabled={busy.value}
      aria-label={`Wrong because of ${location}`}
      title="It is wrong because of this value: ask next about where it came from"
      onClick={() => void judge(about, { answer: "n", because: location })}
    >
      wrong
    </button>
  );
}

export function Missing({ about, location }: { about: Subject; location: string }) {
  return (
    <button
      class="small"
      {...SAYS}
      aria-disabled={busy.value}
      aria-label={`Something is missing at ${location}`}
      title="Something should have happened to it and did not: look for what prevented that"
      onClick={() => void judge(about, { answer: "n", missing: location })}
    >
      missing
    </button>
  );
}
