// What came out: the guilty lines, what proves them guilty, how they were found, and what to do next.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { command } from "../commands";
import { markOf } from "../marks";
import { select } from "../selection";
import { attempt, callOf, session, tell } from "../state";
import type { Report, ReportLine, Verdict as Found } from "../wire";
import { Button } from "./button";
import { Legend } from "./legend";
import { QuestionFacts } from "./question_facts";

export function Verdict({ verdict }: { verdict: Found }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { verdict: outcome, report } = verdict;
  useEffect(() => {
    // The button that was pressed is gone: the keyboard goes on from here.
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, [outcome, report?.call]);
  const symptom = session.value?.symptom.call ?? "";
  const title = {
    buggy: (
      <>
        {verdict.certain ? "The defect is in" : "The defect is likely in"} <code>{report?.method}</code>
      </>
    ),
    correct: (
      <>
        Nothing is wrong in <code>{symptom}</code>, by these answers
      </>
    ),
    suspects: <>Not found</>,
    running: <>The bug has not happened yet</>,
  }[outcome];
  return (
    <div class={`verdict ${outcome}`}>
      <h2 ref={heading} tabIndex={-1} data-first>
        {title}
      </h2>
      {report !== null && <GuiltyPlace report={report} />}
      {verdict.doubt !== null && <p class="warn">This is {verdict.doubt}.</p>}
      {report?.elsewhere.map((place) => (
        <p class="warn" key={place}>
          Or {place}.
        </p>
      ))}
      <Next verdict={verdict} />
      {report !== null && <Guilty report={report} />}
    </div>
  );
}

function GuiltyPlace({ report }: { report: Report }) {
  const { lines } = report;
  const what = report.bytecode ? "instruction" : "line";
  const first = lines[0];
  const last = lines[lines.length - 1];
  return (
    <p class="place">
      <button class="location" onClick={() => select({ call: callOf(report.subject), time: null })}>
        {report.call}
      </button>{" "}
      in {report.file ?? "a file that is not known"}
      {first !== undefined && (first === last ? `, ${what} ${first}` : `, ${what}s ${first} to ${last}`)}
      {report.suspicious !== null && <span class="warn"> This may not be the source that ran: {report.suspicious}</span>}
      {report.made.map((made) => (
        <span class="made" key={made.line}>
          line {made.line}: <code>{made.text}</code> made {made.location} = <code>{made.value}</code>
        </span>
      ))}
      {report.good !== null && (
        <span class="made">
          in the good run: <code>{report.good}</code>
        </span>
      )}
    </p>
  );
}

/** What can be done now. */
function Next({ verdict }: { verdict: Found }) {
  const { verdict: outcome, report, suspects } = verdict;
  return (
    <>
      {outcome === "suspects" && (
        <>
          <p>
            {suspects.length > 0 ? "What is still suspected could not be judged, or the answers leave no way." : "Nothing is left that could be asked about."}{" "}
            Select one and judge it by hand, take an answer back, or trust less.
          </p>
          <ul class="left">
            {suspects.map((one) => (
              <li key={JSON.stringify(one.subject)}>
                <button class="location" onClick={() => select({ call: callOf(one.subject), time: null })}>
                  {one.line === null ? one.call : `${one.call}, line ${one.line}`}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {outcome === "correct" && (
        <p>
          If the symptom is real, one of the answers is not what you meant: look at them below and change it. Or the search began
          in the wrong place: <code>inquest open {session.value?.recording.path} --root CALL</code> begins at another call.
        </p>
      )}
      {outcome === "running" && (
        <p>
          All that has ended so far is right, or not suspected. The next question comes by itself when more has ended. Until then
          you can look around, and judge what you select.
        </p>
      )}
      <div class="answers" role="group" aria-label="What next">
        {report !== null && (
          <button class="do primary" data-command="save" onClick={() => void save()}>
            Save the report
          </button>
        )}
        {verdict.doubt !== null && <Button id="insist" />}
        {report !== null && "call" in report.subject && <Button id="zoom" />}
        {session.value?.zoomed != null && <Button id="zoom-out" title="Back to calls" />}
        <Button id="undo" title="Undo the last answer" />
        {outcome === "suspects" && suspects.length === 0 && (
          <button class="do" onClick={() => void command("palette").run()}>
            Search…
          </button>
        )}
      </div>
    </>
  );
}

function Guilty({ report }: { report: Report }) {
  return (
    <>
      {report.code.length > 0 && <Code report={report} />}
      <h3>What proves it wrong</h3>
      <button class="subject" onClick={() => select({ call: callOf(report.subject), time: null })}>
        {report.counterexample.text}
      </button>
      <QuestionFacts told={report.counterexample} />
      {report.expected !== null && (
        <p>
          Expected: <code>{report.expected}</code>
        </p>
      )}
      <Missed report={report} />
      <h3>From the symptom to the defect</h3>
      <ol class="way">
        {report.path.map((step) => (
          <li key={JSON.stringify(step.subject)}>
            <button class="subject" onClick={() => select({ call: callOf(step.subject), time: null })}>
              {step.text}
            </button>
          </li>
        ))}
      </ol>
      {report.origins.length > 0 && (
        <>
          <h3>Where the values came from</h3>
          <ul class="origins">
            {report.origins.map((origin) => (
              <li key={origin.location}>
                <button class="location" onClick={() => select({ location: origin.location, tab: "history" })}>
                  {origin.location}
                </button>{" "}
                = <code>{origin.value}</code>
                <ul>
                  {origin.writes.map((write) => (
                    <li key={write.time}>
                      <button class="location" onClick={() => select({ location: origin.location, time: write.time, tab: "history" })}>
                        {write.time}
                      </button>{" "}
                      <code>{write.value}</code>
                      {write.call !== null && ` by ${write.call}`}
                      {write.file !== null && write.line !== null && `, ${write.file}:${write.line}`}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Lines beside one that ran that are shown as well. */
const AROUND = 2;

/** All that ran, with a little around it; the first line says which method it is. */
const shownLines = (code: ReportLine[]): boolean[] =>
  code.map((_, at) => at === 0 || code.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.executed || line.guilty));

/** The method, line by line. What did not run is folded, and shown when somebody wants it. */
function Code({ report }: { report: Report }) {
  const unfolded = useSignal<ReadonlySet<number>>(new Set());
  const narrowed = report.likely.length > 0 && report.likely.length < report.lines.length;
  const rows: ComponentChildren[] = [];
  let gap: ReportLine[] = [];
  const end = () => {
    const [first] = gap;
    if (first === undefined) return;
    const count = gap.length;
    rows.push(
      <tr key={`gap ${first.line}`} class="gap-row">
        <td colSpan={3}>
          <button class="small" onClick={() => (unfolded.value = new Set([...unfolded.value, first.line]))}>
            … {count} lines that did not run
          </button>
        </td>
      </tr>,
    );
    gap = [];
  };
  let open = false;
  const shown = shownLines(report.code);
  for (const [at, line] of report.code.entries()) {
    const folded = shown[at] !== true;
    if (!folded) open = false;
    else if (gap.length === 0) open ||= unfolded.value.has(line.line);
    if (folded && !open) gap.push(line);
    else {
      end();
      rows.push(<CodeLine key={line.line} line={line} narrowed={narrowed} />);
    }
  }
  end();
  return (
    <>
      <div class="above">
        <h3>
          Guilty code <span class="faint">as it ran in {report.call}</span>
        </h3>
        <Legend of="line" />
      </div>
      <div class="scroll" tabIndex={0} role="group" aria-label="Guilty code">
        <table class="guilty-code">
          <tbody>{rows}</tbody>
        </table>
      </div>
    </>
  );
}

function CodeLine({ line, narrowed }: { line: ReportLine; narrowed: boolean }) {
  const [name, kind] = line.guilty
    ? narrowed && line.unsure
      ? (["unsure", "guilty"] as const)
      : narrowed && !line.likely
        ? (["unlikely", "guilty"] as const)
        : (["guilty", "guilty likely"] as const)
    : line.executed
      ? (["ran", "ran"] as const)
      : ([null, "idle"] as const);
  const mark = name === null ? null : markOf("line", name);
  return (
    <tr class={kind}>
      <td class="mark" title={mark?.means}>
        <span aria-hidden="true">{mark?.sign}</span>
        <span class="hidden">{mark?.means}</span>
      </td>
      <td class="number">{line.line}</td>
      <td class="text">
        {line.text.replaceAll("\t", "    ")}
        {line.values.length > 0 && <span class="inline">{line.values.map(({ name, value }) => `${name} = ${value}`).join(", ")}</span>}
      </td>
    </tr>
  );
}

function Missed({ report }: { report: Report }) {
  if (report.missing_failed !== null) {
    return (
      <>
        <h3>What did not happen</h3>
        <p>It could not be looked for: {report.missing_failed}.</p>
      </>
    );
  }
  if (report.missing === null || report.missing.balloons.length === 0) return null;
  return (
    <>
      <h3>What did not happen</h3>
      <ul>
        {report.missing.balloons.map((balloon) => (
          <li key={`${balloon.operation}${balloon.at.time}`}>
            <code>{balloon.operation}</code>, prevented at{" "}
            <button class="location" onClick={() => select({ call: balloon.at.number, time: balloon.at.time, tab: "missing" })}>
              {balloon.at.file === null || balloon.at.line === null ? balloon.at.call : `${balloon.at.file}:${balloon.at.line}`}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

async function save(): Promise<void> {
  await attempt(async () => {
    const response = await fetch("api/report.html");
    if (!response.ok) throw new Error("The report could not be made: the verdict has changed since.");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = "inquest-report.html";
    link.click();
    // The browser reads it after this returns.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    tell("Saved. The report is one file: it can be sent as it is.");
  });
}
