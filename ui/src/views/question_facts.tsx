// What there is to see of a question: values before and after, changes marked, what was read, what came out. Where a
// single value can be to blame, it can be said right there.

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
  const headed = parts.some((part) => part.after !== null) || told.changes.length > 0;
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
        <table class="facts">
          <thead class={headed ? "" : "hidden"}>
            <tr>
              <th scope="col">what</th>
              <th scope="col">before</th>
              <th scope="col">after</th>
              {about !== null && (
                <th scope="col">
                  <span class="hidden">say about it</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {parts.map((part) => (
              <PartRows key={part.name} part={part} about={about} call={told.call} />
            ))}
            {told.changes.map((change) => (
              <ChangeRows key={change.name} change={change} about={about} level={0} />
            ))}
            {told.reads.map(({ location, value }) => (
              <tr key={location}>
                <th scope="row">
                  <span class="kind">reads</span> {location}
                </th>
                <Value text={value} />
                <td />
                {about !== null && (
                  <td class="acts">
                    <Wrong about={about} location={location} />
                  </td>
                )}
              </tr>
            ))}
            {told.iterations !== null && (
              <tr>
                <th scope="row">iterations</th>
                <Value text={told.iterations.toLocaleString()} />
                <td />
                {about !== null && <td />}
              </tr>
            )}
            {told.result !== null && (
              <tr class="result">
                <th scope="row">result</th>
                <td />
                <Value text={told.result} class={told.result === "void" ? "faint" : ""} />
                {about !== null && (
                  <td class="acts">
                    {told.result !== "void" && !made && <Wrong about={about} location="result" />}
                    {told.result_is_object && <Missing about={about} location={made ? "this" : "result"} />}
                  </td>
                )}
              </tr>
            )}
            {told.thrown !== null && (
              <tr class="result">
                <th scope="row">threw</th>
                <td />
                <Value text={told.thrown} class="changed" note="thrown" />
                {about !== null && <td />}
              </tr>
            )}
          </tbody>
        </table>
      )}
      {!told.finished && <p class="note">It has not ended: this is what it did so far.</p>}
      {told.note !== null && told.finished && <p class="note">{told.note}</p>}
    </div>
  );
}

function PartRows({ part, about, call }: { part: QuestionPart; about: Subject | null; call: string }) {
  const kind = part.after === null ? "" : part.itself ? "changed" : "within";
  return (
    <>
      <tr>
        <th scope="row">
          <button class="location" title="Its history" onClick={() => select({ location: `${call}:${part.name}`, tab: "history" })}>
            {part.name}
          </button>
        </th>
        <Value text={part.before} />
        {part.after === null ? (
          <td class="faint">{part.changed ? "changed deeper inside" : ""}</td>
        ) : (
          <Value text={part.after} class={kind} note={part.itself ? "changed" : "contains changes"} />
        )}
        {about !== null && (
          <td class="acts">
            {part.itself && <Wrong about={about} location={part.name} />}
            {part.is_object && <Missing about={about} location={part.name} />}
          </td>
        )}
      </tr>
      {part.parts.map((change) => (
        <ChangeRows key={change.name} change={change} about={about} level={1} />
      ))}
    </>
  );
}

function ChangeRows({ change, about, level }: { change: ChangedLocation; about: Subject | null; level: number }) {
  return (
    <>
      <tr class={level > 0 ? "inner" : ""}>
        <th scope="row">
          <button class="location" title="Its history" onClick={() => select({ location: change.name, tab: "history" })}>
            {change.location}
          </button>
        </th>
        <Value text={change.before} />
        <Value text={change.after} class={change.within ? "within" : "changed"} note={change.within ? "contains changes" : "changed"} />
        {about !== null && (
          <td class="acts">
            {change.parts.length === 0 && <Wrong about={about} location={change.name} />}
            {change.within && <Missing about={about} location={change.location} />}
          </td>
        )}
      </tr>
      {change.meanwhile && (
        <tr class="inner">
          <th scope="row" />
          <td colSpan={2}>{change.meanwhile.told}</td>
        </tr>
      )}
      {change.parts.map((inner) => (
        <ChangeRows key={inner.name} change={inner} about={about} level={level + 1} />
      ))}
    </>
  );
}

/** A value; long ones scroll in their own place. What the colour says is also said in words. */
function Value({ text, class: kind, note }: { text: string; class?: string; note?: string }) {
  const long = text.length > 400;
  return (
    <td class={kind ?? ""}>
      <div class={long ? "value long" : "value"} {...(long ? { tabIndex: 0, role: "group", "aria-label": "Long value" } : {})}>
        {text}
        {note !== undefined && <span class="hidden"> ({note})</span>}
      </div>
    </td>
  );
}

export function Wrong({ about, location }: { about: Subject; location: string }) {
  return (
    <button
      class="small"
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
      aria-disabled={busy.value}
      aria-label={`Something is missing at ${location}`}
      title="Something should have happened to it and did not: look for what prevented that"
      onClick={() => void judge(about, { answer: "n", missing: location })}
    >
      missing
    </button>
  );
}
