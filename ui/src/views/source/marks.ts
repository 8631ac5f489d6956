// What the lines of a file are marked with for one call: which ran and how often, what was written there, where the
// selected moment is, which are guilty.

import { api } from "../../api";
import { markOf } from "../../marks";
import { callOf } from "../../state";
import type { LineRun, Report, Source } from "../../wire";

export interface Marks {
  /** By number of the line in the text that is shown. */
  lines: Map<number, Mark>;
  /** The line to look at, if there is one: of the selected moment, or where a library was called. */
  current: number | null;
  /** The first and last line of the method. */
  first: number;
  last: number;
}

export interface Mark {
  /** `other`: not in the method of the call. */
  state: "ran" | "idle" | "unknown" | "other";
  count: number;
  until: number;
  /** A moment is selected, so that `until` says something. */
  dated: boolean;
  values: string;
  guilt: "guilty" | "unsure" | "unlikely" | null;
  current: boolean;
}

export const NONE: Marks = { lines: new Map(), current: null, first: 1, last: 1 };

/** The text that is shown, and how its lines are numbered. */
export interface Text {
  key: string;
  text: string;
  /** Numbers of its lines; none if they are simply counted. */
  numbers: number[] | null;
}

const texts = new Map<string, Promise<string | null>>();
const MAX_TEXTS = 20;

/** The text of a source file, asked for once, or the instructions if there is none. */
export async function textOf(source: Source): Promise<Text> {
  const { file } = source;
  if (file === null) {
    const text = source.listing.map((one) => one.text).join("\n");
    return { key: text, text, numbers: source.listing.map((one) => one.bci) };
  }
  let known = texts.get(file);
  if (known === undefined) {
    known = api.sourceText(source.number);
    texts.set(file, known);
    known.catch(() => texts.delete(file));
    const [oldest] = texts.keys();
    if (texts.size > MAX_TEXTS && oldest !== undefined) texts.delete(oldest);
  }
  return { key: file, text: (await known) ?? "", numbers: null };
}

/** The guilty lines, if this is where they are. */
export function guiltyLines(source: Source, report: Report | null): Map<number, NonNullable<Mark["guilt"]>> {
  const here =
    report !== null && (callOf(report.subject) === source.number || (report.source !== null && report.source === source.file));
  if (!here) return new Map();
  const narrowed = report.likely.length > 0 && report.likely.length < report.lines.length;
  const kind = (line: number) =>
    !narrowed || report.likely.includes(line) ? "guilty" : report.unsure.includes(line) ? "unsure" : "unlikely";
  return new Map(report.lines.map((line) => [line, kind(line)]));
}

export function marksOf(source: Source, report: Report | null, dated: boolean): Marks {
  const guilty = guiltyLines(source, report);
  const rows = new Map(source.listing.map((one, at) => [one.bci, { row: at + 1, line: one.line }]));
  const listed = source.file === null;
  const rowOf = (number: number) => (listed ? rows.get(number)?.row : number);
  const current = source.current ?? source.site;
  const ran = new Map<number, LineRun>(source.lines.map((line) => [line.line, line]));
  const own = new Set(source.code);
  const stateOf = (number: number) => {
    if ((ran.get(number)?.count ?? 0) > 0) return "ran";
    return !own.has(number) ? "other" : source.complete ? "idle" : "unknown";
  };
  const lines = new Map<number, Mark>();
  for (const number of new Set([...source.code, ...ran.keys(), ...(listed ? [] : guilty.keys())])) {
    const row = rowOf(number);
    if (row === undefined) continue;
    const line = ran.get(number);
    const named = listed ? (rows.get(number)?.line ?? number) : number;
    lines.set(row, {
      state: stateOf(number),
      count: line?.count ?? 0,
      until: line?.until ?? 0,
      dated,
      values: (line?.values ?? []).map(({ name, value }) => `${name} = ${value}`).join(", "),
      guilt: guilty.get(named) ?? null,
      current: number === current,
    });
  }
  const at = source.code.map(rowOf).filter((row) => row !== undefined);
  return {
    lines,
    current: current === null ? null : (rowOf(current) ?? null),
    first: at[0] ?? 1,
    last: at[at.length - 1] ?? 1,
  };
}

/** The sign beside a line: one is enough. */
export const signOf = (mark: Mark) => (mark.current ? markOf("line", "current") : mark.guilt === null ? null : markOf("line", mark.guilt));

/** In words, for whoever does not see the gutter. */
export function told(mark: Mark | undefined): string {
  if (mark === undefined) return "";
  const parts = [];
  if (mark.current) parts.push("the selected event is here");
  if (mark.guilt !== null) parts.push(markOf("line", mark.guilt).means);
  if (mark.state === "idle") parts.push("did not run in this call");
  if (mark.state === "unknown") parts.push("not known whether it ran");
  if (mark.state === "ran") {
    const times = mark.count === 1 ? "once" : `${mark.count} times`;
    parts.push(mark.dated && mark.until > 0 ? `ran ${times}, the ${mark.until}. time up to the selected event` : `ran ${times}`);
  }
  if (mark.values !== "") parts.push(mark.values);
  return parts.join("; ");
}
