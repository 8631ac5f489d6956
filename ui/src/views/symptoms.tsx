// What went wrong in the run: the symptom that the search is about, and the others to choose from. They are asked for when
// somebody looks, because a running program may show more of them by then.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { api } from "../api";
import { beginAt, busy, callOf } from "../state";
import type { Session, SymptomRow } from "../wire";
import { Menu } from "./menu";

export function Symptoms({ now }: { now: Session }) {
  const [first] = now.symptom_why.split("\n", 1);
  return (
    <Menu
      class="symptoms"
      label={`Symptom: ${now.symptom.call}, ${first}`}
      title={
        <>
          <span class="name">{now.symptom.call}</span> <span aria-hidden="true">▾</span>
        </>
      }
    >
      {(close) => <List now={now} close={close} />}
    </Menu>
  );
}

function List({ now, close }: { now: Session; close: () => void }) {
  const rows = useSignal<SymptomRow[] | null>(null);
  const failed = useSignal<string | null>(null);
  useEffect(() => {
    api.symptoms().then(
      (found) => (rows.value = found),
      (error: Error) => (failed.value = error.message),
    );
  }, []);
  const chosen = callOf(now.symptom.subject);
  if (failed.value !== null) return <p class="warn">{failed.value}</p>;
  if (rows.value === null) return <p class="faint">Looking for symptoms…</p>;
  if (rows.value.length === 0) {
    return (
      <p>
        Nothing failed in this run. The search is about <code>{now.symptom.call}</code>, {now.symptom_why}. A line of output that is
        wrong is named with <code>--output</code>.
      </p>
    );
  }
  return (
    <ol class="symptoms">
      {rows.value.map((row) => (
        <li key={row.symptom}>
          <button
            class="symptom"
            aria-current={row.number === chosen}
            disabled={busy.value}
            title={row.number === chosen ? "The search is about this" : "Begin anew here; what was answered is kept"}
            onClick={() => {
              if (row.number !== chosen && row.symptom !== null) void beginAt(row.symptom);
              close();
            }}
          >
            <code>{row.test ?? row.call}</code> <span>{row.text}</span>
            {row.file !== null && row.line !== null && (
              <span class="faint">
                {" "}
                {row.file}:{row.line}
              </span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}
