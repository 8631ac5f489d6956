// What a look for the origin of something wrong begins with, as long as nobody chose a value: what the selected call gave,
// or the first thing that it changed.

import { api } from "../api";
import { useLoaded } from "../load";
import { selection } from "../selection";
import { callOf, question, report, version } from "../state";
import type { Question } from "../wire";

interface Outcome {
  /** What is selected, or else what came out of the call. */
  location: string | null;
  /** An object of the call to which something can have failed to happen. */
  holder: string | null;
  loading: boolean;
}

export function useOutcome(): Outcome {
  const { call, location } = selection.value;
  const asked = question.value;
  const found = report.value;
  // What is asked, or was found, says it already.
  const known =
    asked !== null && asked.number === call ? asked : found !== null && callOf(found.subject) === call ? found.counterexample : null;
  const wanted = known === null && call !== null;
  const told = useLoaded(() => (wanted ? api.question({ call: { number: call } }, false) : null), [call, wanted, version.value]);
  const of = known ?? (told.value?.number === call ? told.value : null);
  return { location: location ?? (of === null ? null : outcome(of)), holder: of === null ? null : holder(of), loading: told.loading };
}

function outcome(told: Question): string | null {
  if (told.result !== null && told.result !== "void" && told.finished && !told.constructs && told.kind === "call") return `${told.call}:result`;
  const parts = told.receiver === null ? told.args : [...told.args, told.receiver];
  const change = [...told.changes, ...parts.flatMap((part) => part.parts)].find((one) => one.before !== "");
  if (change !== undefined) return change.parts[0]?.name ?? change.name;
  const variable = parts.find((part) => part.after !== null);
  return variable === undefined ? null : `${told.call}:${variable.name}`;
}

function holder(told: Question): string | null {
  const objects = (told.receiver === null ? told.args : [told.receiver, ...told.args]).filter((part) => part.is_object);
  const part = objects.find((one) => one.changed) ?? objects[0];
  const name = told.result_is_object ? (told.constructs ? "this" : "result") : part?.name;
  return name === undefined ? null : `${told.call}:${name}`;
}
