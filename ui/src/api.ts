// The requests of the page, one function each. What goes in and comes out is in wire.ts, which is written from the server's
// types (docs/wire.md).

import type {
  AboutQuery,
  AnswerRequest,
  AskableQuestion,
  CallDetails,
  CallState,
  ChangeQuery,
  ChangedPart,
  ChooseRequest,
  Event,
  EventRows,
  EventRowsQuery,
  GotoAnswer,
  GotoQuery,
  History,
  HistoryQuery,
  LineEvent,
  LineQuery,
  MarkQuery,
  MarkText,
  MoveRequest,
  Omissions,
  OmissionsQuery,
  QuestionQuery,
  Refusal,
  Session,
  Slice,
  SliceQuery,
  Source,
  SourceQuery,
  StateRequest,
  StepQuery,
  Subject,
  SymptomRequest,
  SymptomRow,
  TextPart,
  TextQuery,
  Timeline,
  TimelineCall,
  TimelineQuery,
  TreeAct,
  TreeQuery,
  TreeRequest,
  TreeRows,
  Waiting,
  ZoomRequest,
} from "./wire";

/** How many rows are wanted before a moment, and from it on. */
export interface Around {
  at: number | null;
  before: number;
  after: number;
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
  if (response.status === 202) throw new Refused((JSON.parse(text) as Waiting).waiting, 202);
  if (!response.ok) {
    let message = text;
    try {
      message = (JSON.parse(text) as Refusal).error;
    } catch {
      // Not ours: shown as it is.
    }
    throw new Refused(message || response.statusText, response.status);
  }
  return JSON.parse(text) as T;
}

/** A request with parameters; what is null is left out. */
function get<T, Q extends object>(path: string, query: Q): Promise<T> {
  const list = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value !== null && value !== undefined && value !== "") list.set(name, String(value));
  }
  return request<T>(`${path}?${list.toString()}`);
}

/** A moment where a name of one could stand, too. */
const text = (time: number | null): string | null => (time === null ? null : String(time));

function post<T>(path: string, body: unknown): Promise<T> {
  return request<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

export const api = {
  session: () => request<Session>("session"),
  advance: () => post<Session>("advance", {}),
  answer: (said: AnswerRequest) => post<Session>("answer", said),
  move: (said: MoveRequest) => post<Session>("move", said),
  choose: (said: ChooseRequest) => post<Session>("choose", said),
  insist: () => post<Session>("insist", {}),
  zoom: (said: ZoomRequest) => post<Session>("zoom", said),
  symptoms: () => request<SymptomRow[]>("symptoms"),
  beginAt: (said: SymptomRequest) => post<Session>("symptom", said),
  question: (subject: Subject, more: boolean) =>
    get<AskableQuestion, QuestionQuery>("question", { subject: JSON.stringify(subject), more }),
  goto: (text: string) => get<GotoAnswer, GotoQuery>("goto", { text }),
  rows: (page: string, from: number, count: number) => get<TreeRows, TreeQuery>("tree", { page, from, count }),
  change: (page: string, act: TreeAct, from: number | null, count: number, ranks: Subject[] = []) =>
    post<TreeRows>("tree", { page, ...act, from, count, ranks } satisfies TreeRequest),
  call: (call: number) => request<CallDetails>(`call/${call}`),
  state: (call: number, wanted: StateRequest) => post<CallState>(`call/${call}/state`, wanted),
  eventRows: (call: number, around: Around, unfolded: number[], location: string | null) =>
    get<EventRows, EventRowsQuery>(`call/${call}/rows`, { ...around, unfolded: unfolded.join(","), location }),
  about: (location: string, around: Around, call: number | null, meant: number | null) =>
    get<EventRows, AboutQuery>("about", { location, number: call, meant: text(meant), ...around }),
  source: (call: number, at: number | null, all: boolean) => get<Source | null, SourceQuery>(`call/${call}/source`, { at, all }),
  sourceText: (call: number) => request<string | null>(`call/${call}/text`),
  onLine: (call: number, wanted: LineQuery) => get<LineEvent, LineQuery>(`call/${call}/line`, wanted),
  step: (wanted: StepQuery) => get<Event | null, StepQuery>("step", wanted),
  text: (location: string, at: number, skip: number) => get<TextPart, TextQuery>("text", { location, at: text(at), skip }),
  nextChange: (wanted: ChangeQuery) => get<ChangedPart, ChangeQuery>("change", wanted),
  /** Writes to a location around a moment; `at` is where a path is followed. */
  history: (location: string, at: number | null, around: number | null, before: number, after: number) =>
    get<History, HistoryQuery>("history", { location, at: text(at), around, before, after }),
  slice: (location: string, at: number | null, count: number, far: boolean) =>
    get<Slice, SliceQuery>("slice", { location, at: text(at), count, far }),
  omissions: (location: string, at: number | null, reads: boolean, call: number | null) =>
    get<Omissions, OmissionsQuery>("omissions", { location, at: text(at), reads, number: call }),
  timeline: (wanted: TimelineQuery) => get<Timeline, TimelineQuery>("timeline", wanted),
  timelineCall: (call: number) => request<TimelineCall>(`timeline/call/${call}`),
  mark: (time: number) => get<MarkText, MarkQuery>("timeline/mark", { time }),
};
