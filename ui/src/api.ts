// The server's interface, as docs/page-api.md describes it: types of what comes back, and one function per request.

import type { EventName, KindName, StrategyName, TransformName } from "./vocabulary";

export type Subject =
  | { call: { call: number } }
  | { thread: { first: number } }
  | { run: { first: number; last: number; collapsed: boolean; independent: boolean } }
  | { nest: { call: number; levels: number } }
  | { loop: { call: number; run: number; from: number; to: number | null } }
  | { statement: { call: number; at: number } };

export interface Part {
  name: string;
  before: string;
  after: string | null;
  changed: boolean;
  /** It holds another value itself; otherwise only what it leads to changed. */
  itself: boolean;
  parts?: Shown[];
}

export interface Shown {
  location: string;
  name: string;
  before: string;
  after: string;
  /** The location still holds the same: what is in there changed. */
  within: boolean;
  parts?: Shown[];
}

export interface Question {
  subject: Subject;
  kind: KindName;
  call: string;
  method: string;
  text: string;
  members: string[];
  receiver: Part | null;
  args: Part[];
  result: string | null;
  thrown: string | null;
  finished: boolean;
  changes: Shown[];
  reads: [string, string][];
  iterations: number | null;
  note: string | null;
  more: boolean;
}

export interface Asked extends Question {
  call_number: number | null;
  why: { kind: string; words: string; if_wrong: number | null; if_right: number | null };
  suspects: number;
  expected: number;
}

/** Anything that could be asked about. */
export interface Askable extends Question {
  call_number: number | null;
  library: boolean;
}

export interface Named {
  subject: Subject;
  name: string;
}

/** An answer that holds. */
export interface Given extends Named {
  answer: string;
  words: string;
  by: string;
  person: boolean;
  at: number;
}

/** Where something that was typed leads. */
export interface Destination {
  kind: "call" | "time" | "location" | "object";
  name: string;
  call: number | null;
  time: number | null;
  location: string | null;
  /** How many calls of this method there are, where it stands for them. */
  calls: number | null;
}

export interface Reached {
  places: Destination[];
  why: string | null;
}

export interface Balloon {
  at: { call: string; number: number; time: number; file: string | null; line: number | null; kind: string };
  operation: string;
  chain: string[];
  file: string | null;
  line: number | null;
  events: number;
  more: boolean;
  /** When, the first ones, and in which calls. */
  times: number[];
  calls: number[];
  certainty: string;
  extent: string;
  instead: boolean;
}

export interface Missing {
  object: string;
  time: number;
  balloons: Balloon[];
  reads: number;
  hidden: number;
  partial: string[];
  nothing: string | null;
  writes: number;
  writers: [string, number][];
}

export interface ReportLine {
  number: number;
  text: string;
  executed: boolean;
  guilty: boolean;
  likely: boolean;
  unsure: boolean;
  values: [string, string][];
}

export interface Report {
  subject: Subject;
  kind: KindName;
  call: string;
  method: string;
  file: string | null;
  source: string | null;
  suspicious: string | null;
  lines: number[];
  likely: number[];
  unsure: number[];
  code: ReportLine[];
  bytecode: boolean;
  counterexample: Question;
  expected: string | null;
  path: { subject: Subject; call: string; text: string }[];
  answers: { subject: Subject; call: string; text: string; answer: string; by: string }[];
  origins: { location: string; value: string; command: string; writes: { time: number; value: string; call: string | null; file: string | null; line: number | null }[] }[];
  missing: Missing | null;
  missing_failed: string | null;
}

export interface Verdict {
  outcome: "buggy" | "correct" | "suspects" | "running";
  report: Report | null;
  suspects: Named[];
}

export interface Session {
  recording: {
    path: string;
    command: string[];
    exit: number | null;
    events: number;
    calls: number;
    threads: number;
    last_time: number;
    damaged: number;
  };
  symptom: Named;
  symptom_why: string;
  strategy: StrategyName;
  transforms: TransformName[];
  plain: boolean;
  live: boolean;
  generation: number;
  question: Asked | null;
  verdict: Verdict | null;
  answers: Given[];
  answered: number;
  asked: number;
  can_undo: boolean;
  can_redo: boolean;
  note: string | null;
  missing: Missing | null;
  missing_failed: string | null;
  /** Why what is said is not kept for other sessions. */
  forgets: string | null;
  contradictions: { why: string; answers: Given[] }[];
  zoomed: number | null;
  /** The news, as the server counts them, that are in this. */
  news: number;
}

export interface TreeRow {
  node: number;
  level: number;
  place: number;
  siblings: number;
  expandable: boolean;
  expanded: boolean;
  subject: Subject | null;
  kind: KindName;
  name: string;
  text: string;
  status: "suspect" | "correct" | "cleared" | "wrong" | "trusted" | "unknown" | "unfinished" | "inadmissible" | "outside";
  call: number | null;
  library: boolean;
  events: number;
  /** Nodes in it that are left out of what is shown. */
  left_out: number;
  /** Marked calls at it, or folded in it. */
  marks: number;
}

/** What of the tree is shown: methods with a text in their name, no calls into libraries. */
export interface Sift {
  text: string;
  program: boolean;
}

export interface TreeRows {
  generation: number;
  /** Ranks mean the same as long as this is the same. */
  state: number;
  total: number;
  from: number;
  rows: TreeRow[];
  sift: Sift;
  rank: number | null;
  near: "here" | "around" | "left-out" | "nowhere" | null;
  found: { at: number | null; of: number; round: boolean } | null;
  cut: boolean;
  ranks: (number | null)[];
}

export type TreeAct =
  | { act: "look" | "collapse-all" }
  | { act: "expand" | "expand-all" | "expand-siblings" | "collapse" | "parent"; subject: Subject }
  | { act: "reveal"; call: number }
  | { act: "find"; text: string; after: Subject | null; back: boolean; stay: boolean }
  | { act: "sift"; sift: Sift; call: number | null }
  | { act: "mark"; calls: number[] };

export interface Call {
  call: number;
  name: string;
  method: string;
  text: string;
  library: boolean;
  entry: number;
  exit: number;
  events: number;
  children: number;
  thread: string;
  ending: "returned" | "threw" | "open";
  site: { file: string | null; line: number | null };
  path: { call: number; name: string }[];
  /** Calls that are left out in the path, after its first `outer`. */
  skipped: number;
  outer: number;
  changes: number;
  more: boolean;
}

/** What is shown of a value at one moment. */
export interface Side {
  text: string;
  state: "set" | "unset" | "out-of-scope" | "unknown";
  object: string | null;
  /** Known only from what a library last showed of it. */
  seen: boolean;
  /** Chars of a text that is longer than what is shown. */
  chars: number | null;
}

export type Mark = "same" | "changed" | "within" | "maybe" | "maybe-within" | "new" | "gone";

/** A variable or a part of an object, at two moments. */
export interface StateRow {
  label: string;
  role: "this" | "argument" | "local" | "result" | "thrown" | "static" | "part";
  location: string | null;
  before: Side | null;
  after: Side | null;
  mark: Mark;
  total: number;
  skip: number;
  rows: StateRow[] | null;
}

export interface CallState {
  from: number;
  to: number;
  whole: boolean;
  rows: StateRow[];
  statics: StateRow[];
  more_statics: number;
  statics_cut: boolean;
}

/** An object that is open: the labels on the way to it, and its first part to show. */
export interface Opened {
  path: string[];
  skip: number;
}

export interface TextPiece {
  text: string;
  skip: number;
  recorded: number;
  chars: number;
  cut: boolean;
}

/** An event, as a row of the event list. */
/** Besides what happened by itself: a call that prints, and a value that was only seen. */
export type EventKind = EventName | "output" | "seen";

export interface HappenedEvent {
  time: number;
  kind: EventKind;
  text: string;
  /** The call of program code in which it happened. */
  call: number | null;
  name: string | null;
  location: string | null;
  /** The call that begins here; the calls in it have the numbers from its own on. */
  child: { call: number; calls: number; events: number; until: number; unfolded: boolean } | null;
  level: number;
  reads: [string, string][];
  /** What it did to the location that was asked about. */
  mark: "changed" | "within" | null;
  role: string | null;
  file: string | null;
  line: number | null;
}

export interface EventPage {
  rows: HappenedEvent[];
  before: number;
  first: boolean;
  last: boolean;
  /** The first and the last moment of the whole list. */
  from: number;
  to: number;
  about: string | null;
}

/** How many rows are wanted before a moment, and from it on. */
export interface Around {
  at: number | null;
  before: number;
  after: number;
}

export interface Source {
  /** Whose method it is: the call, or what called it if it is a library's. */
  call: number;
  name: string;
  /** The line on which a library was called, if that is what was asked for. */
  site: number | null;
  file: string | null;
  named: string | null;
  suspicious: string | null;
  /** The instructions, where there is no source. */
  listing: { number: number; line: number | null; text: string }[];
  /** Lines (or instructions) of the method, ascending. */
  code: number[];
  /** What is not among `lines` did not run. */
  complete: boolean;
  more: boolean;
  current: number | null;
  lines: SourceLine[];
}

export interface SourceLine {
  number: number;
  count: number;
  until: number;
  values: [string, string][];
}

export interface History {
  location: string;
  entries: {
    time: number;
    value: string;
    call: number | null;
    name: string | null;
    file: string | null;
    line: number | null;
    manner: "written" | "library" | "seen" | "created";
  }[];
  earlier: boolean;
  more: boolean;
}

export interface Trail {
  location: string;
  time: number;
  rows: {
    time: number;
    kind: string;
    text: string;
    file: string | null;
    line: number | null;
    call: string;
    number: number;
    why: string;
    explains: number[];
  }[];
  cut: string | null;
  unknown: number;
}

export interface Timeline {
  from: number;
  to: number;
  threads: Lane[];
  left_out: number;
  names: string[];
}

export interface Lane {
  thread: number;
  name: string;
  calls: number;
  top: number;
  flames: { call: number; name: number; level: number; from: number; to: number; library: boolean; threw: boolean }[];
  crowds: { from: number; to: number; level: number; deepest: number; calls: number; call: number }[];
  throws: TimelineMark[];
  output: TimelineMark[];
}

export interface TimelineMark {
  time: number;
  call: number | null;
  count: number;
}

export interface Spot {
  call: number;
  thread: number;
  level: number;
  from: number;
  to: number;
  name: string;
}

/** What the server refused, in its own words. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

/** Told when the server cannot be reached. */
export const gone = new Set<() => void>();

async function request<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`api/${path}`, init);
  } catch {
    gone.forEach((told) => told());
    throw new Refused("The server does not answer.", 0);
  }
  const text = await response.text();
  // There is no session yet.
  if (response.status === 202) throw new Refused((JSON.parse(text) as { waiting: string }).waiting, 202);
  if (!response.ok) {
    let message = text;
    try {
      message = (JSON.parse(text) as { error: string }).error;
    } catch {
      // Not ours: shown as it is.
    }
    throw new Refused(message || response.statusText, response.status);
  }
  return JSON.parse(text) as T;
}

function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const list = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") list.set(name, String(value));
  }
  return list.toString();
}

function post<T>(path: string, body: unknown): Promise<T> {
  return request<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

export interface Said {
  subject: Subject;
  answer: string;
  because?: string;
  missing?: string;
  expected?: string;
  asked?: boolean;
  instead?: boolean;
}

export const api = {
  session: () => request<Session>("session"),
  answer: (said: Said) => post<Session>("answer", said),
  move: (undo: boolean) => post<Session>("move", { undo }),
  choose: (strategy: string, transforms: string[], plain: boolean) =>
    post<Session>("choose", { strategy, transforms, plain }),
  zoom: (call: number | null) => post<Session>("zoom", { call }),
  question: (subject: Subject, more: boolean) =>
    request<Askable>(`question?${query({ subject: JSON.stringify(subject), more })}`),
  goto: (text: string) => request<Reached>(`goto?${query({ text })}`),
  rows: (page: string, from: number, count: number) =>
    request<TreeRows>(`tree?${query({ page, from, count })}`),
  change: (page: string, act: TreeAct, from: number | null, count: number, ranks: Subject[] = []) =>
    post<TreeRows>("tree", { page, ...act, from, count, ranks }),
  call: (call: number) => request<Call>(`call/${call}`),
  state: (call: number, to: number | null, raw: boolean, open: Opened[], statics: boolean) =>
    post<CallState>(`call/${call}/state`, { to, raw, open, statics }),
  events: (call: number, from: number | null, count: number) =>
    request<{ events: HappenedEvent[]; more: boolean }>(`call/${call}/events?${query({ from, count })}`),
  eventRows: (call: number, around: Around, unfolded: number[], location: string | null) =>
    request<EventPage>(`call/${call}/rows?${query({ ...around, unfolded: unfolded.join(","), location })}`),
  about: (location: string, around: Around, call: number | null, meant: number | null) =>
    request<EventPage>(`about?${query({ location, call, meant, ...around })}`),
  source: (call: number, at: number | null, all: boolean) =>
    request<Source | null>(`call/${call}/source?${query({ at, all })}`),
  sourceText: (call: number) => request<string | null>(`call/${call}/text`),
  onLine: (call: number, line: number, at: number | null, back: boolean) =>
    request<{ time: number | null; sure: boolean }>(`call/${call}/line?${query({ line, at, back })}`),
  step: (time: number, direction: string, location?: string) =>
    request<HappenedEvent | null>(`step?${query({ time, direction, location })}`),
  text: (location: string, at: number, skip: number) => request<TextPiece>(`text?${query({ location, at, skip })}`),
  nextChange: (
    parts: { before: string | null; after: string | null; from: number; to: number; raw: boolean },
    index: number,
    back: boolean,
  ) => request<{ index: number | null; cut: boolean }>(`change?${query({ ...parts, index, back })}`),
  /** Writes to a location around a moment; `at` is where a path is followed. */
  history: (location: string, at: number | null, around: number | null, before: number, after: number) =>
    request<History>(`history?${query({ location, at, around, before, after })}`),
  slice: (location: string, at: number | null, count: number, far: boolean) =>
    request<Trail>(`slice?${query({ location, at, count, far })}`),
  omissions: (location: string, at: number | null, reads: boolean, call: number | null) =>
    request<Missing>(`omissions?${query({ location, at, reads, call })}`),
  timeline: (from: number | null, to: number | null, width: number, thread: number | null, top: number | null) =>
    request<Timeline>(`timeline?${query({ from, to, width, thread, top })}`),
  spot: (call: number) => request<Spot>(`timeline/call/${call}`),
  mark: (time: number) => request<{ text: string }>(`timeline/mark?${query({ time })}`),
};
