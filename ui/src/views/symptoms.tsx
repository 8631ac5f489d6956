// What went wrong in the run, on top of everything: the symptom that the search is about, and the list of all that failed,
// from which another can be chosen.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { api } from "../api";
import { useLoaded } from "../load";
import { select } from "../selection";
import { beginAt, busy, callOf, session } from "../state";
import type { Session, SymptomRow } from "../wire";
import { Menu } from "./menu";

export function SymptomBar() {
  const now = session.value;
  if (now === null) return null;
  const call = callOf(now.symptom.subject);
  return (
    <div class={now.symptom_line === null ? "symptom-bar none" : "symptom-bar"} role="region" aria-label="What went wrong">
      <span class="sign" aria-hidden="true">
        {now.symptom_line === null ? "?" : "✗"}
      </span>
      <button class="what" title="Show the call in which it shows" onClick={() => select({ call, time: null })}>
        {now.symptom_line === null ? (
          <>
            Looking for the bug in <code>{now.symptom.call}</code>, {now.symptom_why.split("\n", 1)[0]}
          </>
        ) : (
          now.symptom_line
        )}
      </button>
      <Failures now={now} />
    </div>
  );
}

/** All that failed. How much that is, is counted when there is a session; a running program may show more of it later. */
function Failures({ now }: { now: Session }) {
  const opened = useSignal(0);
  const listed = useLoaded(api.symptoms, [now.live, opened.value]);
  const count = listed.value?.length ?? 0;
  const title = count === 0 ? "Failures" : count === 1 ? "1 failure" : `1 of ${count} failures`;
  return (
    <Menu class="symptoms" label={`${title}: what failed in this run`} title={<><span class="name">{title}</span> <span aria-hidden="true">▾</span></>}>
      {(close) => <List now={now} rows={listed.value} failed={listed.error} look={() => (opened.value += 1)} close={close} />}
    </Menu>
  );
}

interface ListProps {
  now: Session;
  rows: SymptomRow[] | null;
  failed: string | null;
  /** Asks again. */
  look: () => void;
  close: () => void;
}

function List({ now, rows, failed, look, close }: ListProps) {
  useEffect(look, []);
  const chosen = callOf(now.symptom.subject);
  if (failed !== null) return <p class="warn">{failed}</p>;
  if (rows === null) return <p class="faint">Looking for what failed…</p>;
  if (rows.length === 0) {
    return (
      <p>
        Nothing failed in this run. The search is about <code>{now.symptom.call}</code>, {now.symptom_why}. A line of output that is
        wrong is named with <code>--output</code>.
      </p>
    );
  }
  return (
    <>
      <ol class="symptoms">
        {rows.map((row) => {
            const here = row.number === chosen;
            return (
              <li key={row.symptom}>
                <button
                  class="symptom"
                  aria-current={here}
                  disabled={busy.value}
                  title={here ? "The search is about this" : "Begin anew here; what was answered is kept"}
                  onClick={() => {
                    if (!here && row.symptom !== null) void beginAt(row.symptom);
                    close();
                  }}
                >
                  <What row={row} />
                </button>
              </li>
            );
          })}
      </ol>
    </>
  );
}

function What({ row }: { row: SymptomRow }) {
  return (
    <>
      <code>{row.test ?? row.call}</code> <span>{row.text}</span>
      {row.file !== null && row.line !== null && (
        <span class="faint">
          {" "}
          {row.file}:{row.line}
        </span>
      )}
    </>
  );
}
