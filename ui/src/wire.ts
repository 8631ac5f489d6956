// Written from crates/wire (src/typescript.rs): not to be changed by hand.

import type { EventName, KindName, StrategyName, TransformName } from "./vocabulary";

/** The version of these types. */
export const WIRE_VERSION = 1;

/** `inquest version --json` */
export type Version = {
  /** The version of the program. */
  inquest: string;
  /** The version of these types. */
  wire: number;
};

/** What can be judged, by numbers of calls. It means the same in every tree and every process. */
export type Subject = {
  "call": {
    number: number;
  }
} | {
  "thread": {
    first: number;
  }
} | {
  "run": {
    first: number;
    last: number;
    collapsed: boolean;
    independent: boolean;
  }
} | {
  "nest": {
    number: number;
    levels: number;
  }
} | {
  "loop": {
    number: number;
    run: number;
    from: number;
    to: number | null;
  }
} | {
  "statement": {
    number: number;
    at: number;
  }
};

/** A subject with the name of its call, or of the first one. */
export type NamedSubject = {
  subject: Subject;
  call: string;
  number: number | null;
  /** Of a statement, the line that it is on. */
  line: number | null;
};

/** A place in a source file, as far as it is known. */
export type SourcePlace = {
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** A name and a value. */
export type NamedValue = {
  name: string;
  value: string;
};

/** A location and what it held. */
export type LocationValue = {
  location: string;
  value: string;
};

/** A call by name and number. */
export type NamedCall = {
  call: string;
  number: number;
};

/** How a call ended. */
export type CallEnd = "returned" | "threw" | "open";

/** A call with what it got and gave. */
export type Call = {
  /** `MergeSort.merge#3` */
  call: string;
  number: number;
  /** `MergeSort.merge` */
  method: string;
  /** The object that it was called on. */
  this: string | null;
  args: Array<NamedValue>;
  /** Null for a call that gave nothing or did not return. */
  result: string | null;
  thrown: string | null;
  finished: boolean;
  ending: CallEnd;
  /** Calls that it made itself. */
  children: number;
  /** Events in it, those of its callees included. */
  events: number;
  /** Code of a library: believed to be right unless somebody says otherwise. */
  trusted: boolean;
  /** The thread by number. */
  thread: number;
  /** The times of its first and its last event. */
  entry: number;
  exit: number;
};

/** `inquest tree`: a row for each call, in pre-order. `file` and `line` are where it was called. */
export type CallRow = {
  /** Calls around it, from where the tree begins. */
  depth: number;
  /** `MergeSort.merge#3` */
  call: string;
  number: number;
  /** `MergeSort.merge` */
  method: string;
  /** The object that it was called on. */
  this: string | null;
  args: Array<NamedValue>;
  /** Null for a call that gave nothing or did not return. */
  result: string | null;
  thrown: string | null;
  finished: boolean;
  ending: CallEnd;
  /** Calls that it made itself. */
  children: number;
  /** Events in it, those of its callees included. */
  events: number;
  /** Code of a library: believed to be right unless somebody says otherwise. */
  trusted: boolean;
  /** The thread by number. */
  thread: number;
  /** The times of its first and its last event. */
  entry: number;
  exit: number;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** `inquest show`: a call with all that it read and changed. `file` and `line` are where its method is. */
export type ShownCall = {
  /** What it read that was there before. */
  reads: Array<Read>;
  reads_complete: boolean;
  changes: Array<Change>;
  changes_complete: boolean;
  /** Methods of libraries that it called and of which nobody knows what they did. */
  unknown_effects: Array<string>;
  /**
   * Collections and arrays that it was given and keeps itself, and that somebody else changes later: `lines kept as
   * Order.lines, not a copy: Cart.clear changes it later`.
   */
  kept: Array<string>;
  /** How many objects it made. */
  created: number;
  /** Where it was called. */
  called_at: string | null;
  /** With `--lines`: its source, with what ran. */
  source: SourceLines | null;
  /** `MergeSort.merge#3` */
  call: string;
  number: number;
  /** `MergeSort.merge` */
  method: string;
  /** The object that it was called on. */
  this: string | null;
  args: Array<NamedValue>;
  /** Null for a call that gave nothing or did not return. */
  result: string | null;
  thrown: string | null;
  finished: boolean;
  ending: CallEnd;
  /** Calls that it made itself. */
  children: number;
  /** Events in it, those of its callees included. */
  events: number;
  /** Code of a library: believed to be right unless somebody says otherwise. */
  trusted: boolean;
  /** The thread by number. */
  thread: number;
  /** The times of its first and its last event. */
  entry: number;
  exit: number;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** What a call changed: a location, or what a stream, writer or builder was given. */
export type Change = {
  location: string;
  /** Null where only what was written is known, not what it made of the whole. */
  before: string | null;
  after: string | null;
  /** First uses and bookkeeping, which nobody asks about: last. */
  noise: boolean;
  /** What was done to it, and what was written, in words. */
  wrote?: WrittenText;
  /** What another thread wrote there meanwhile. */
  meanwhile?: OtherWrite;
};

/** The last write of another thread to a location while a call ran. */
export type OtherWrite = {
  /** Null for something in a collection, of which only the whole is shown. */
  value: string | null;
  thread: string;
  /** The call that wrote it. */
  number: number | null;
  /** In words: `meanwhile 5 by thread quick`. */
  told: string;
};

/** What was written to a stream, writer, builder or file. */
export type WrittenText = {
  /** `appended`, `printed` … */
  did: string;
  /** In words: `appended "01"`. */
  told: string;
  /** The whole text, if all of it is one and known to the letter. */
  text: string | null;
  bytes: Array<number> | null;
  /** What it leads to: the file, or the object around which it is. */
  leads_to: string | null;
  /** Nothing of it is unknown. */
  exact: boolean;
  /** How many calls into the library wrote it. */
  calls: number;
  /** Another one of the list was written through it. */
  through: boolean;
};

/** What a call read: a location, or what came from outside. */
export type Read = {
  /** For what came from outside, how it was asked for. */
  location: string;
  value: string;
  /** Where it came from: `clock`, `chance`, `environment`, a file, an object. */
  from?: string;
  text?: string;
  bytes?: Array<number>;
};

/** `GET call/N`: a call and the calls around it. `file` and `line` are where it was called. */
export type CallDetails = {
  /** The call on one line. */
  text: string;
  thread_name: string;
  /** The calls around it, the outermost first; of a long path its two ends. */
  path: Array<NamedCall>;
  /** How many calls are left out in the path, after its first `outer`. */
  skipped: number;
  outer: number;
  /** Locations that it changed, as far as they were counted; `more`: there may be more. */
  changes: number;
  more: boolean;
  /** `MergeSort.merge#3` */
  call: string;
  number: number;
  /** `MergeSort.merge` */
  method: string;
  /** The object that it was called on. */
  this: string | null;
  args: Array<NamedValue>;
  /** Null for a call that gave nothing or did not return. */
  result: string | null;
  thrown: string | null;
  finished: boolean;
  ending: CallEnd;
  /** Calls that it made itself. */
  children: number;
  /** Events in it, those of its callees included. */
  events: number;
  /** Code of a library: believed to be right unless somebody says otherwise. */
  trusted: boolean;
  /** The thread by number. */
  thread: number;
  /** The times of its first and its last event. */
  entry: number;
  exit: number;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** What a person is asked to judge. */
export type Question = {
  subject: Subject;
  kind: KindName;
  /** `MergeSort.merge#3`; the first one for several calls, the one around for what lies in a call. */
  call: string;
  number: number | null;
  /** `MergeSort.merge` */
  method: string;
  /** It is a call of a constructor: what it gives is the new object, `this`. */
  constructs: boolean;
  /** The question on one line. */
  text: string;
  /**
   * The question as a person is shown it: what is asked about, the few facts that it takes to judge it, the biggest
   * news first, and how much is folded away.
   */
  head: string;
  facts: Array<Fact>;
  folded: string | null;
  /** The calls that it stands for, where these are several. */
  members: Array<string>;
  /** The object that it was called on, as far as that was read or changed. */
  receiver: QuestionPart | null;
  /** Arguments; the variables for what lies in a call. */
  args: Array<QuestionPart>;
  /** `void` for a call that gives nothing; null for what has no result. */
  result: string | null;
  /** The result is an object, to which something can have failed to happen. */
  result_is_object: boolean;
  thrown: string | null;
  finished: boolean;
  changes: Array<ChangedLocation>;
  /** What was read and is seen nowhere else here. */
  reads: Array<LocationValue>;
  iterations: number | null;
  note: string | null;
  /** Something was left out. */
  more: boolean;
  /** About how many seconds it takes to answer: grows slowly with what there is to read. */
  cost: number;
};

/** One line of a question. */
export type Fact = {
  kind: FactKind;
  /** `gave`, `this.total`, `with`; empty where the text says it all. */
  label: string;
  text: string;
  /** As `inquest history` takes it, for a location. */
  name: string | null;
  /** The number of a row's call; null where it stands for several. */
  number: number | null;
};

/** What a line of a question tells. */
export type FactKind = "gave" | "threw" | "changed" | "wrote" | "still" | "row" | "given" | "note";

/** An argument, a variable or the receiver. */
export type QuestionPart = {
  name: string;
  before: string;
  /** What it is afterwards, if what it holds or refers to changed. */
  after: string | null;
  changed: boolean;
  /** It holds another value itself; otherwise only what it leads to changed. */
  itself: boolean;
  /** It holds an object, to which something can have failed to happen. */
  is_object: boolean;
  /** What it leads to and is different afterwards, where that is not among the question's changes. */
  parts: Array<ChangedLocation>;
};

/** A location that holds another value afterwards. */
export type ChangedLocation = {
  /** As a person says it: `a[2]`, `t.x`; by the object's name where no argument leads there. */
  location: string;
  /** As `inquest history` takes it. */
  name: string;
  before: string;
  after: string;
  /** The location still holds the same: what is in there changed. */
  within: boolean;
  /** Which elements of it these are, for an array. */
  parts: Array<ChangedLocation>;
  /** What another thread wrote there meanwhile. */
  meanwhile?: OtherWrite;
};

/** What is asked now, and why. */
export type AskedQuestion = {
  why: AskReason;
  suspects: number;
  /** Questions after which the search ends, about, this one included. */
  expected: number;
  /** As few questions and as many as are to be expected, this one included. */
  at_least: number;
  at_most: number;
  /** `3 to 7 questions left` */
  left: string;
  /** What is likeliest to be wrong, the likeliest first; empty if the strategy does not ask by that. */
  places: Array<LikelyPlace>;
  subject: Subject;
  kind: KindName;
  /** `MergeSort.merge#3`; the first one for several calls, the one around for what lies in a call. */
  call: string;
  number: number | null;
  /** `MergeSort.merge` */
  method: string;
  /** It is a call of a constructor: what it gives is the new object, `this`. */
  constructs: boolean;
  /** The question on one line. */
  text: string;
  /**
   * The question as a person is shown it: what is asked about, the few facts that it takes to judge it, the biggest
   * news first, and how much is folded away.
   */
  head: string;
  facts: Array<Fact>;
  folded: string | null;
  /** The calls that it stands for, where these are several. */
  members: Array<string>;
  /** The object that it was called on, as far as that was read or changed. */
  receiver: QuestionPart | null;
  /** Arguments; the variables for what lies in a call. */
  args: Array<QuestionPart>;
  /** `void` for a call that gives nothing; null for what has no result. */
  result: string | null;
  /** The result is an object, to which something can have failed to happen. */
  result_is_object: boolean;
  thrown: string | null;
  finished: boolean;
  changes: Array<ChangedLocation>;
  /** What was read and is seen nowhere else here. */
  reads: Array<LocationValue>;
  iterations: number | null;
  note: string | null;
  /** Something was left out. */
  more: boolean;
  /** About how many seconds it takes to answer: grows slowly with what there is to read. */
  cost: number;
};

/** Code that may be what is wrong. */
export type LikelyPlace = {
  /** `MergeSort.merge` */
  method: string;
  file: string | null;
  /** Its first line. */
  line: number | null;
  /** The number of a call of it. */
  number: number | null;
  /** How likely it is, from 0 to 1, and in words. */
  probability: number;
  percent: string;
  /** What that will be after either answer to what is asked. */
  if_wrong: number | null;
  if_right: number | null;
};

/** Why it is asked. The numbers are those of suspects that either answer leaves, where that is known. */
export type AskReason = {
  kind: AskKind;
  words: string;
  if_wrong: number | null;
  if_right: number | null;
};

/** What led to a question. */
export type AskKind = "chosen" | "followed" | "given" | "unproven" | "unsure" | "root" | "left" | "prevented" | "again";

/** `GET question`: anything as a question. */
export type AskableQuestion = {
  /** Code of a library, which is not asked about by itself. */
  trusted: boolean;
  subject: Subject;
  kind: KindName;
  /** `MergeSort.merge#3`; the first one for several calls, the one around for what lies in a call. */
  call: string;
  number: number | null;
  /** `MergeSort.merge` */
  method: string;
  /** It is a call of a constructor: what it gives is the new object, `this`. */
  constructs: boolean;
  /** The question on one line. */
  text: string;
  /**
   * The question as a person is shown it: what is asked about, the few facts that it takes to judge it, the biggest
   * news first, and how much is folded away.
   */
  head: string;
  facts: Array<Fact>;
  folded: string | null;
  /** The calls that it stands for, where these are several. */
  members: Array<string>;
  /** The object that it was called on, as far as that was read or changed. */
  receiver: QuestionPart | null;
  /** Arguments; the variables for what lies in a call. */
  args: Array<QuestionPart>;
  /** `void` for a call that gives nothing; null for what has no result. */
  result: string | null;
  /** The result is an object, to which something can have failed to happen. */
  result_is_object: boolean;
  thrown: string | null;
  finished: boolean;
  changes: Array<ChangedLocation>;
  /** What was read and is seen nowhere else here. */
  reads: Array<LocationValue>;
  iterations: number | null;
  note: string | null;
  /** Something was left out. */
  more: boolean;
  /** About how many seconds it takes to answer: grows slowly with what there is to read. */
  cost: number;
};

/** Parameters of `GET question`. */
export type QuestionQuery = {
  /** A subject as JSON. */
  subject?: string | null;
  /** A call, instead. */
  number?: number | null;
  more?: boolean | null;
};

/** An answer that holds. */
export type GivenAnswer = {
  /** Its letter, as it is typed. */
  answer: string;
  /** In words, with what was said about it. */
  words: string;
  /** `user`, `rule`, `remembered`, `inferred`, `assertion`, `reference:DIR`, `tests:DIR`, `command:CMD`, `agent:NAME` */
  by: string;
  /** The same in words. */
  by_words: string;
  /** Milliseconds since 1970. */
  at: number;
  /** What a program said about why, and how sure it is. */
  why?: string;
  reliability?: number;
  subject: Subject;
  call: string;
  number: number | null;
  /** Of a statement, the line that it is on. */
  line: number | null;
};

/** Answers that do not go together. */
export type Contradiction = {
  why: string;
  answers: Array<GivenAnswer>;
};

/** `GET session`, and the answer of every request that changes it. */
export type Session = {
  /** The version of all these types. */
  version: number;
  recording: Recording;
  /** The call in which the search began, and why there. */
  symptom: NamedSubject;
  symptom_why: string;
  /** What failed, in one line; null where nothing failed by itself. */
  symptom_line: string | null;
  strategy: StrategyName;
  transforms: TransformName[];
  /** The transformations are off. */
  plain: boolean;
  /** The program may still be running. */
  live: boolean;
  /** Nodes of the tree mean the same as long as this is the same. */
  generation: number;
  question: AskedQuestion | null;
  verdict: Verdict | null;
  /** Oracles have more to say before a person is asked: `POST advance` lets them. */
  advancing: boolean;
  /** The last of the answers that hold, the first first. */
  answers: Array<GivenAnswer>;
  /** How many there are. */
  answered: number;
  /** How many of them a person gave. */
  asked: number;
  can_undo: boolean;
  can_redo: boolean;
  /** Why the tree is not transformed as it was asked for, or a program is not asked any more. */
  note: string | null;
  /** What the last answer that missed something found. */
  missing: Omissions | null;
  /** Why it found nothing. */
  missing_failed: string | null;
  /** Why what is said is not kept for other sessions. */
  forgets: string | null;
  contradictions: Array<Contradiction>;
  /** The number of the call that is looked into, statement by statement. */
  zoomed: number | null;
  /** The news, as they are counted by `live`, that are in this. */
  news: number;
};

/** The recording that a dialogue is about. */
export type Recording = {
  /** Its folder's name; with the folder around it for one JVM among several. */
  name: string;
  path: string;
  /** What was run. */
  command: Array<string>;
  /** What the program returned, if it ended. */
  exit: number | null;
  events: number;
  calls: number;
  threads: number;
  last_time: number;
  /** Damaged places. */
  damaged: number;
  /** Thousandths of the run that are looked at, while it is not all of it: the numbers are of these. */
  looked_at: number | null;
};

/** What came out. */
export type Verdict = {
  verdict: Outcome;
  /** For `buggy`: whether that is certain, and how likely it is if not. */
  certain: boolean;
  probability: number | null;
  /** Why it is not certain. */
  doubt: string | null;
  /** For `buggy`. */
  report: Report | null;
  /** For `suspects`: what is left. */
  suspects: Array<NamedSubject>;
  /** For `suspects`: what would make it certain, where only evidence is lacking. */
  lacking: string | null;
};

/** How a dialogue ended. */
export type Outcome = "buggy" | "correct" | "suspects" | "running";

/** Body of `POST answer`. */
export type AnswerRequest = {
  /** What it is about: what is asked now, or anything else. */
  subject: Subject;
  /** The letter of an answer that nothing has to be said with; `back` takes back what was said, with `instead`. */
  answer: string;
  /** With `n`: the location whose value is wrong. */
  because?: string;
  /** With `n`: the location to which something should have happened. */
  missing?: string;
  /** With `n`: what should have come out. */
  expected?: string;
  /** The page believes that this is what is asked now. */
  asked?: boolean;
  /** It takes the place of what was said about it before. */
  instead?: boolean;
};

/** Body of `POST move`. */
export type MoveRequest = {
  /** Take back what was said last; otherwise say it again. */
  undo: boolean;
};

/** Body of `POST choose`. */
export type ChooseRequest = {
  strategy: StrategyName;
  transforms: TransformName[];
  /** Transformations off. */
  plain: boolean;
};

/** Body of `POST zoom`. */
export type ZoomRequest = {
  /** A guilty call, to be looked into statement by statement; null: back to calls. That is to be said, too. */
  number: number | null;
};

/** A line of `inquest ask --json`: which of them it is, its first field says. */
export type AskLine = AnswerLine | VerdictLine | {
  moved: Moved;
} | {
  more: Question;
} | {
  contradiction: Contradiction;
} | {
  note: string;
};

/** A question with its answer. */
export type AnswerLine = {
  question: Question;
  /** For an open question: what is likeliest to be wrong, the likeliest first. */
  places?: Array<LikelyPlace>;
  /** The letter of the answer; null if the answers ran out before. */
  answer: string | null;
  /** Who answered, as in `GivenAnswer`. */
  by: string | null;
  /** What a program said about why, and how sure it is. */
  why?: string;
  reliability?: number;
  /** With an answer that missed something: what was found. */
  missing?: Array<Balloon>;
  /** Why nothing was found, or why an answer was refused. */
  note?: string;
  /** Where a program drives the dialogue, one line out for one line in: what became of its answer before. */
  previous?: Previous;
};

/** The last line of a dialogue. */
export type VerdictLine = {
  verdict: Outcome;
  /** For `buggy`: whether that is certain, and how likely it is if not. */
  certain: boolean;
  probability: number | null;
  /** The guilty call, its method, file and lines. */
  call: string | null;
  number: number | null;
  method: string | null;
  file: string | null;
  lines: Array<number>;
  /** Those of the lines that what came out wrong depends on. */
  likely: Array<number>;
  /** Those of which nobody can say whether it depends on them. */
  unsure: Array<number>;
  /** The lines that made what came out wrong, the likeliest first. */
  made: Array<number>;
  /** Questions that a person answered. */
  questions: number;
  /** All answers that hold. */
  answers: number;
  /** For `suspects`: what is left. */
  suspects: Array<NamedSubject>;
  /** For `suspects`: what would make it certain, where only evidence is lacking. */
  lacking: string | null;
  /** What was called there and nobody judged: the defect may lie in it as well. */
  trusted: Array<TrustedPart>;
  /** Where else the defect may be, each to follow on "or": calls that kept what others changed, calls before all that was looked at. */
  elsewhere: Array<string>;
  /** Why what is missing could not be looked for. */
  missing_failed: string | null;
  /** As in `AnswerLine`. */
  previous?: Previous;
};

/** What became of an answer, with the next line. */
export type Previous = {
  /** What was asked. */
  call?: string;
  /** The letter of the answer. */
  answer?: string;
  /** It was taken back, or said again. */
  moved?: Moved;
  /** With an answer that missed something: what was found. */
  missing?: Array<Balloon>;
  /** Why nothing was found. */
  note?: string;
  /** It does not go together with others. */
  contradiction?: Contradiction;
};

/** Which way an answer was moved. */
export type Moved = "undo" | "redo";

/** A symptom: `inquest symptoms` gives an array of them, and `GET symptoms` those of the recording that is shown. */
export type SymptomRow = {
  /** Its number, for `ask --symptom`; of a request, for `ask --request`. None for a line of output. */
  symptom: number | null;
  /** `assertion`, `null`, `index`, `exception`, `expected-exception`, `request`, `never-ended`, `output`. */
  kind: string;
  /** What is wrong, on a line. */
  text: string;
  /** The test that failed, with what it was given. */
  test: string | null;
  /** Values of the run, where an assertion compared them. */
  expected: string | null;
  actual: string | null;
  /** What the code calls the value that is wrong. */
  expression: string | null;
  /** The call at which a search begins. */
  call: string;
  number: number;
  /** When it shows. */
  time: number | null;
  /** The folder of the JVM in that of the run; none if that has only one. */
  jvm: string | null;
  /** The reference shows it too. */
  in_reference: boolean;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** Begins anew at another symptom. */
export type SymptomRequest = {
  /** By its number in the list. */
  symptom: number;
};

/** `inquest report --json`: what failed in a run, and where the fault is likeliest. */
export type RunReport = {
  failed: boolean;
  /** The most telling first. */
  failures: Array<FailureRow>;
  /** What else speaks of a failure, for people: a JVM that ended with an exit code of its own. */
  remarks: Array<string>;
};

/** A symptom, and what is believed of it before anybody was asked. */
export type FailureRow = {
  /** Its file from the top of the repository, where it was found; otherwise as its package says. */
  path: string | null;
  /** The likeliest first; none of them is a verdict. Empty if they were not looked for, or nothing is known. */
  places: Array<LikelyPlace>;
  /** Its number, for `ask --symptom`; of a request, for `ask --request`. None for a line of output. */
  symptom: number | null;
  /** `assertion`, `null`, `index`, `exception`, `expected-exception`, `request`, `never-ended`, `output`. */
  kind: string;
  /** What is wrong, on a line. */
  text: string;
  /** The test that failed, with what it was given. */
  test: string | null;
  /** Values of the run, where an assertion compared them. */
  expected: string | null;
  actual: string | null;
  /** What the code calls the value that is wrong. */
  expression: string | null;
  /** The call at which a search begins. */
  call: string;
  number: number;
  /** When it shows. */
  time: number | null;
  /** The folder of the JVM in that of the run; none if that has only one. */
  jvm: string | null;
  /** The reference shows it too. */
  in_reference: boolean;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** `inquest test --json`: what failed of a build's tests, as the last line. */
export type TestRun = {
  /** The most telling first. */
  failures: Array<TestFailure>;
  /** Tests that ran. */
  tests: number;
  passed: number;
  failed: number;
  /** Those that gave up by an assumption. */
  skipped: number;
  /** The exit code of the command. */
  exit: number;
};

/** Something that went wrong in a build's tests. */
export type TestFailure = {
  /** What to give to `inquest ask`, with the symptom's number. */
  dir: string;
  /** The number of the first failure that likely has the same cause: its own, if it is the first. */
  alike: number;
  /** Its number, for `ask --symptom`; of a request, for `ask --request`. None for a line of output. */
  symptom: number | null;
  /** `assertion`, `null`, `index`, `exception`, `expected-exception`, `request`, `never-ended`, `output`. */
  kind: string;
  /** What is wrong, on a line. */
  text: string;
  /** The test that failed, with what it was given. */
  test: string | null;
  /** Values of the run, where an assertion compared them. */
  expected: string | null;
  actual: string | null;
  /** What the code calls the value that is wrong. */
  expression: string | null;
  /** The call at which a search begins. */
  call: string;
  number: number;
  /** When it shows. */
  time: number | null;
  /** The folder of the JVM in that of the run; none if that has only one. */
  jvm: string | null;
  /** The reference shows it too. */
  in_reference: boolean;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** The guilty code, what proves it guilty, and how it was found. */
export type Report = {
  subject: Subject;
  kind: KindName;
  /** `MergeSort.merge#3` */
  call: string;
  number: number | null;
  /** `MergeSort.merge` */
  method: string;
  /** The source file's name as the class file has it. */
  file: string | null;
  /** Where the text of the lines is from. */
  source: string | null;
  /** Lines are instructions: the class file has no line numbers. */
  bytecode: boolean;
  /** A reason not to believe that the text is what was compiled. */
  suspicious: string | null;
  /** Numbers of the guilty lines, ascending. */
  lines: Array<number>;
  /** Those of them that what came out wrong depends on. Empty if that narrows nothing down. */
  likely: Array<number>;
  /** Those of which nobody can say whether it depends on them. */
  unsure: Array<number>;
  /** The lines that made what came out wrong, the likeliest first. */
  made: Array<MadeAt>;
  /** What the call gave in the good run, on one line, if there is one. */
  good: string | null;
  /** The method, line by line. */
  code: Array<ReportLine>;
  counterexample: Question;
  /** What should have come out, in the words of who judged it. */
  expected: string | null;
  /** What is wrong, from the symptom down. */
  path: Array<PathNode>;
  answers: Array<ReportAnswer>;
  /** Where to look next. */
  origins: Array<Origin>;
  /** What should have happened and did not, if somebody missed something. */
  missing: Omissions | null;
  /** Why that could not be looked for. */
  missing_failed: string | null;
  /** What was called there and nobody judged: the defect may lie in it as well. The most called first. */
  trusted: Array<TrustedPart>;
  /** Where else the defect may be, each to follow on "or": calls that kept what others changed, calls before all that was looked at. */
  elsewhere: Array<string>;
};

/** A line of the guilty call that wrote something that came out. */
export type MadeAt = {
  line: number;
  text: string;
  /** As `inquest history` takes it; `result` or `thrown` for what the call gave. */
  location: string;
  value: string;
};

/** Code that a verdict takes for granted. */
export type TrustedPart = {
  /** `rates.jar`; the package where it is not known which jar it is, the method for what a person trusts. */
  name: string;
  calls: number;
};

/** A line of the guilty method. */
export type ReportLine = {
  /** Its line, or where it is in the bytecode. */
  line: number;
  text: string;
  executed: boolean;
  guilty: boolean;
  /** What came out wrong depends on it. */
  likely: boolean;
  /** It may depend on it: nobody can be sure. */
  unsure: boolean;
  /** What was written on it last. */
  values: Array<NamedValue>;
};

/** A wrong node on the way from the symptom. */
export type PathNode = {
  subject: Subject;
  call: string;
  number: number | null;
  text: string;
};

/** An answer that led there. */
export type ReportAnswer = {
  subject: Subject;
  call: string;
  number: number | null;
  /** The question on one line. */
  text: string;
  /** Its letter, as it is typed. */
  answer: string;
  words: string;
  /** As in `GivenAnswer`. */
  by: string;
  by_words: string;
};

/** Where a wrong value came from. */
export type Origin = {
  /** As `inquest history` takes it. */
  location: string;
  value: string;
  /** Ready to be typed. */
  command: string;
  /** The last writes, the newest first. */
  writes: Array<OriginWrite>;
  /** There were earlier ones. */
  more: boolean;
};

/** A write of a wrong value. */
export type OriginWrite = {
  time: number;
  value: string;
  /** The call that wrote it. */
  call: string | null;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** `inquest ask --summary --json`: the last session about a recording. */
export type Summary = {
  /** Where it began: a call, or the whole run. */
  root: string;
  /** Milliseconds since 1970. */
  began: number;
  /** Milliseconds from the beginning to the last answer. */
  lasted: number;
  /** Milliseconds that persons took, as far as that is known. */
  thought: number;
  /** Questions that a person answered, what was taken back included. */
  questions: number;
  /** What it came to, as in `Outcome`; null while it goes on. */
  verdict: string | null;
  /** In the order in which it was said. */
  answers: Array<TimedAnswer>;
};

/** An answer, and how long it took. */
export type TimedAnswer = {
  /** The question on one line. */
  text: string;
  call: string;
  /** Its letter, as it is typed. */
  answer: string;
  /** As in `GivenAnswer`. */
  by: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Milliseconds from when the question was shown; null where that is not known. */
  took: number | null;
  /** It was not taken back. */
  holds: boolean;
};

/** `GET omissions`: what could have happened to an object and did not. */
export type Omissions = {
  /** What was asked about, by its name. */
  object: string;
  time: number;
  /** The most telling first. */
  balloons: Array<Balloon>;
  /** Operations that would only have read it, and are not shown. */
  reads: number;
  /** Operations of methods that were not wanted. */
  hidden: number;
  /** Why the answer may lack something. */
  partial: Array<string>;
  /** Why there is nothing to look for: such an object never changes. */
  nothing: string | null;
  /** How often it was written after it was made, up to then. */
  writes: number;
  /** By which methods of the program most often. */
  writers: Array<Writer>;
};

/**
 * One operation that was prevented at one place; `inquest omissions` gives an array of them. `file` and `line` are
 * where the operation is.
 */
export type Balloon = {
  at: Prevention;
  /** `ArrayList@1.add(…)` */
  operation: string;
  /** The name of the method that would have been called, as `--hide` takes it; null for other operations. */
  called: string | null;
  /** The methods on the way from what was prevented to the operation. */
  chain: Array<string>;
  /** Other ways to the same operation, and other lines with it, that the same place prevented. */
  ways: number;
  /** How often it was prevented there. */
  events: number;
  /** It may have been more often. */
  more: boolean;
  /** When, the first ones. */
  times: Array<number>;
  /** In which calls, by number. */
  numbers: Array<number>;
  certainty: Certainty;
  extent: Extent;
  /** The way that was taken did something else to the same object: rather a choice than an omission. */
  instead: boolean;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** What prevented something. */
export type Prevention = {
  call: string;
  number: number;
  time: number;
  kind: PreventionKind;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** How something was prevented. */
export type PreventionKind = "branch" | "switch" | "loop-end" | "return" | "throw" | "dispatch" | "uncalled";

/** Would it have been this very object? */
export type Certainty = "certain" | "possible";

/** Was it never done in that call, or less often than it might have been? */
export type Extent = "total" | "partial";

/** A method that wrote to an object, and how often. */
export type Writer = {
  method: string;
  writes: number;
};

/** Parameters of `GET omissions`. */
export type OmissionsQuery = {
  location: string;
  /** The moment; the end without one. */
  at?: string | null;
  /** What would only have read it is wanted, too. */
  reads?: boolean | null;
  /** The call that somebody looks at who wrote the location. */
  number?: number | null;
};

/** Rows of the tree; ranks mean the same as long as `state` is the same. */
export type TreeRows = {
  generation: number;
  /** Ranks mean the same as long as this is the same. */
  state: number;
  /** Rows there are in all. */
  total: number;
  /** The rank of the first of `rows`. */
  from: number;
  rows: Array<TreeRow>;
  filter: TreeFilter;
  /** The rank of what was asked for. */
  rank: number | null;
  /** How near that is to a call that was asked for. */
  near: Near | null;
  found: TreeMatch | null;
  /** Only a part was expanded. */
  cut: boolean;
  /** Where the subjects are that were asked for. */
  ranks: Array<number | null>;
};

/** A row of the tree. */
export type TreeRow = {
  node: number;
  level: number;
  /** Its place among its siblings, from 0, and how many there are. */
  place: number;
  siblings: number;
  expandable: boolean;
  expanded: boolean;
  /** Nodes in it that are left out of what is shown. */
  left_out: number;
  /** Marked calls at it, or folded in it. */
  marks: number;
  subject: Subject | null;
  kind: KindName;
  /** `MergeSort.merge#3`; the first one where there are several. */
  call: string;
  number: number | null;
  status: NodeStatus;
  /** Code of a library. */
  trusted: boolean;
  /** Events in it, for a call. */
  events: number;
  caption: Caption;
};

/** What a row says. For one call, its parts, so that each can have its room; otherwise words. */
export type Caption = {
  "call": CallCaption
} | {
  "words": string
};

/** A call on a row: `MergeSort` `merge` `#3` `(a=[1, 2])` ` = 3`. */
export type CallCaption = {
  /** `MergeSort.merge` */
  method: string;
  /** `MergeSort` */
  class: string;
  /** `merge`, with parameter types where others would be called the same. */
  name: string;
  /** Which call of the method it is, from 1. */
  nth: number;
  /** `(a=[1, 2])` */
  args: string;
  /** `= 3`, `threw …`, and for nested calls how many; empty if there is nothing to say. */
  end: string;
};

/** What is known of a node. */
export type NodeStatus = "suspect" | "correct" | "cleared" | "wrong" | "trusted" | "unknown" | "unfinished" | "inadmissible" | "outside";

/** How near a row is to a call. */
export type Near = "here" | "around" | "left-out" | "nowhere";

/** What was found by its name. */
export type TreeMatch = {
  /** Its place among the matches, from 0. */
  at: number | null;
  /** How many there are. */
  of: number;
  /** The search went past an end of the tree. */
  round: boolean;
};

/** What of the tree is shown. */
export type TreeFilter = {
  /** Only methods with this text in their names. */
  text: string;
  /** No calls into libraries. */
  program: boolean;
};

/** Parameters of `GET tree`. */
export type TreeQuery = {
  /** A name that the page made up for itself. */
  page: string;
  from: number;
  count: number;
};

/** Body of `POST tree`. */
export type TreeRequest = {
  page: string;
  /** The first row that is wanted; if none, those around what was asked for. */
  from: number | null;
  count: number;
  /** Subjects whose ranks are wanted. */
  ranks: Array<Subject>;
} & ({
  "act": "look"
} | {
  "act": "expand";
  subject: Subject;
} | {
  "act": "expand-all";
  subject: Subject;
} | {
  "act": "expand-siblings";
  subject: Subject;
} | {
  "act": "collapse";
  subject: Subject;
} | {
  "act": "collapse-all"
} | {
  "act": "parent";
  subject: Subject;
} | {
  "act": "reveal";
  number: number;
} | {
  "act": "find";
  text: string;
  after: Subject | null;
  back: boolean;
  stay: boolean;
} | {
  "act": "filter";
  filter: TreeFilter;
  number: number | null;
} | {
  "act": "mark";
  numbers: Array<number>;
});

/** What to do with the tree. */
export type TreeAct = {
  "act": "look"
} | {
  "act": "expand";
  subject: Subject;
} | {
  "act": "expand-all";
  subject: Subject;
} | {
  "act": "expand-siblings";
  subject: Subject;
} | {
  "act": "collapse";
  subject: Subject;
} | {
  "act": "collapse-all"
} | {
  "act": "parent";
  subject: Subject;
} | {
  "act": "reveal";
  number: number;
} | {
  "act": "find";
  text: string;
  after: Subject | null;
  back: boolean;
  stay: boolean;
} | {
  "act": "filter";
  filter: TreeFilter;
  number: number | null;
} | {
  "act": "mark";
  numbers: Array<number>;
};

/** `inquest state`: what a location or an object held. */
export type LocationState = {
  location: string;
  time: number;
  value: string;
  known: boolean;
  /** Known only from what a library last showed of it. */
  seen: boolean;
  parts: Array<StatePart>;
};

/** A part of an object. */
export type StatePart = {
  name: string;
  value: string;
  parts: Array<StatePart>;
};

/** Body of `POST call/N/state`. */
export type StateRequest = {
  /** The moment up to which; the call's end if there is none. */
  to?: number | null;
  /** Fields as they are, and not what an object stands for. */
  raw?: boolean | null;
  /** What is unfolded. */
  open?: Array<OpenedObject> | null;
  /** All statics, and not only some. */
  statics?: boolean | null;
};

/** An object that is open: the labels on the way to it, and the first part to show. */
export type OpenedObject = {
  path: Array<string>;
  skip: number;
};

/** The variables of a call at two moments. */
export type CallState = {
  from: number;
  to: number;
  /** It is the call's end. */
  whole: boolean;
  rows: Array<StateRow>;
  statics: Array<StateRow>;
  more_statics: number;
  /** There may be statics that are not known. */
  statics_cut: boolean;
};

/** A variable or a part of an object, at two moments. */
export type StateRow = {
  label: string;
  role: StateRole;
  /** As `history` and `slice` take it. */
  location: string | null;
  before: StateSide | null;
  after: StateSide | null;
  mark: StateMark;
  /** Parts that can be opened. */
  total: number;
  /** Parts before the first of `rows`. */
  skip: number;
  /** The parts, if it is open. */
  rows: Array<StateRow> | null;
};

/** What a row of the state is. */
export type StateRole = "this" | "argument" | "local" | "result" | "thrown" | "static" | "part";

/** How the two moments compare. */
export type StateMark = "same" | "changed" | "within" | "maybe" | "maybe-within" | "new" | "gone";

/** What is shown of a value at one moment. */
export type StateSide = {
  text: string;
  state: SideState;
  /** The object that it holds, by its name. */
  object: string | null;
  /** Known only from what a library last showed of it. */
  seen: boolean;
  /** Characters of a text that is longer than what is shown. */
  chars: number | null;
};

/** Is there a value? */
export type SideState = "set" | "unset" | "out-of-scope" | "unknown";

/** Parameters of `GET text`. */
export type TextQuery = {
  location: string;
  at?: string | null;
  skip?: number | null;
  count?: number | null;
};

/** A part of a long text. */
export type TextPart = {
  text: string;
  /** Characters before it. */
  skip: number;
  /** Characters that are recorded. */
  recorded: number;
  /** Of the text in the program, in UTF-16 units. */
  chars: number;
  /** Only its beginning is recorded. */
  cut: boolean;
};

/** Parameters of `GET change`. */
export type ChangeQuery = {
  /** The object at the two moments. */
  before?: string | null;
  after?: string | null;
  from: number;
  to: number;
  raw?: boolean | null;
  /** The part from which on, or before which. */
  index: number;
  back?: boolean | null;
};

/** The next part of an object that changed. */
export type ChangedPart = {
  index: number | null;
  /** Not all parts could be looked at. */
  cut: boolean;
};

/** Something that happened: `inquest events` gives an array of them, `inquest step` one or null. */
export type Event = {
  time: number;
  /** What happened by itself, or `output` for a call that prints, `seen` for a value that was only seen. */
  kind: EventName | "output" | "seen";
  text: string;
  /** The text without the word for its kind, where it begins with one. */
  details: string;
  /** The call of program code in which it happened. */
  call: string | null;
  number: number | null;
  /** Open calls of program code. */
  depth: number;
  /** What was written. */
  location: string | null;
  /** The call that begins here. */
  child: ChildCall | null;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** A call that begins with an event. */
export type ChildCall = {
  call: string;
  number: number;
  /** Calls in it, itself included: they have the numbers from its own on. */
  calls: number;
  events: number;
  /** When it ended. */
  until: number;
};

/** A row of an event list. */
export type EventRow = {
  /** Unfolded calls around it. */
  level: number;
  /** The events of the call that begins here follow. */
  unfolded: boolean;
  /** What was read for it. */
  reads: Array<LocationValue>;
  /** What it did to the location that was asked about. */
  mark: EventMark | null;
  /** In which role the object that was asked about took part. */
  role: string | null;
  time: number;
  /** What happened by itself, or `output` for a call that prints, `seen` for a value that was only seen. */
  kind: EventName | "output" | "seen";
  text: string;
  /** The text without the word for its kind, where it begins with one. */
  details: string;
  /** The call of program code in which it happened. */
  call: string | null;
  number: number | null;
  /** Open calls of program code. */
  depth: number;
  /** What was written. */
  location: string | null;
  /** The call that begins here. */
  child: ChildCall | null;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** What an event did to a location. */
export type EventMark = "changed" | "within";

/** Rows around a moment. */
export type EventRows = {
  rows: Array<EventRow>;
  /** How many of them are before the moment. */
  before: number;
  /** The rows begin with the first one, and end with the last one there is. */
  first: boolean;
  last: boolean;
  /** The first and the last moment of the whole list. */
  from: number;
  to: number;
  /** The name of what was asked about, if there is such a thing. */
  about: string | null;
  /** The object whose part that is. */
  part_of: string | null;
};

/** `GET call/N/events`: a call's own events. */
export type Events = {
  events: Array<Event>;
  more: boolean;
};

/** Parameters of `GET call/N/events`. */
export type EventsQuery = {
  from?: number | null;
  count?: number | null;
};

/** Parameters of `GET call/N/rows`. */
export type EventRowsQuery = {
  /** The moment; the call's beginning if there is none. */
  at?: number | null;
  before?: number | null;
  after?: number | null;
  /** Numbers of calls that are unfolded, with commas between them. */
  unfolded?: string | null;
  /** What is to be marked where it changed. */
  location?: string | null;
};

/** Parameters of `GET about`. */
export type AboutQuery = {
  location: string;
  /** In which call and when the name is meant. */
  number?: number | null;
  meant?: string | null;
  at?: number | null;
  before?: number | null;
  after?: number | null;
};

/** Parameters of `GET step`. */
export type StepQuery = {
  time: number;
  direction: StepDirection;
  /** For `next-write` and `last-write`. */
  location?: string | null;
};

/** From one event to another. */
export type StepDirection = "into" | "over" | "out" | "back-into" | "back-over" | "back-out" | "next-write" | "last-write" | "thrown";

/** What `inquest find` finds: calls, or events. */
export type Match = CallMatch | EventMatch;

/** A call that was found. */
export type CallMatch = {
  /** What of it matches. */
  match: string;
  /** Calls around it, from where the tree begins. */
  depth: number;
  /** `MergeSort.merge#3` */
  call: string;
  number: number;
  /** `MergeSort.merge` */
  method: string;
  /** The object that it was called on. */
  this: string | null;
  args: Array<NamedValue>;
  /** Null for a call that gave nothing or did not return. */
  result: string | null;
  thrown: string | null;
  finished: boolean;
  ending: CallEnd;
  /** Calls that it made itself. */
  children: number;
  /** Events in it, those of its callees included. */
  events: number;
  /** Code of a library: believed to be right unless somebody says otherwise. */
  trusted: boolean;
  /** The thread by number. */
  thread: number;
  /** The times of its first and its last event. */
  entry: number;
  exit: number;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** An event that was found. */
export type EventMatch = {
  time: number;
  kind: MatchKind;
  /** Null for output that is not known. */
  text: string | null;
  /** What was written. */
  location: string | null;
  /** The call in which it happened; for output the call of program code that printed it. */
  call: string | null;
  number: number | null;
  /** The call into the library that printed it, for output. */
  printer?: string;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** What an event that was found did. */
export type MatchKind = "write" | "throw" | "output";

/** A line of `inquest dump --json`: an event as it was recorded, with what no list of events shows. */
export type RecordedEvent = {
  thread: number;
  depth: number;
  kind: EventName;
  /** `Class.method:line` */
  place: string | null;
  /** It happened in code of a library. */
  library: boolean;
  text: string;
};

/** A write: `inquest history` gives an array of them. */
export type Write = {
  time: number;
  value: string;
  known: boolean;
  manner: WriteManner;
  /** The call that wrote it; for a library's write, the innermost call that is recorded. */
  call: string | null;
  number: number | null;
  /** The class of the call's method. */
  class: string | null;
  /** The thread by number. */
  thread: number;
  location: string;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** A write to a stream, writer, builder or buffer: `inquest history` of one gives an array of them. */
export type SinkWrite = {
  time: number;
  /** In words: `appended "01"`. */
  value: string;
  /** Nothing of it is unknown. */
  known: boolean;
  /** What was done: `appended`, `printed` … */
  manner: string;
  /** What was written, if all of it is one text. */
  text: string | null;
  /** What it holds afterwards, if that is known. */
  content: string | null;
  /** The call of program code that did it. */
  call: string | null;
  number: number | null;
  /** The thread by number. */
  thread: number;
  location: string;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** How a value got there. */
export type WriteManner = "written" | "library" | "seen" | "created";

/** `GET history`: some of the writes. */
export type History = {
  /** By its own name, which means the same at every moment. */
  location: string;
  entries: Array<Write>;
  /** There are earlier ones. */
  earlier: boolean;
  /** There are later ones. */
  more: boolean;
};

/** Parameters of `GET history`. */
export type HistoryQuery = {
  location: string;
  /** The moment at which a path is followed. */
  at?: string | null;
  /**
   * The moment around which writes are wanted: the last ones up to it and the first ones behind it. Without one,
   * from the beginning.
   */
  around?: number | null;
  before?: number | null;
  after?: number | null;
};

/** `GET slice`: the trail of a value. */
export type Slice = {
  /** What was asked about, by its name. */
  location: string;
  time: number;
  /** The latest first. */
  rows: Array<SliceRow>;
  /** Why there is more than is shown. */
  cut: SliceCut | null;
  /** Places where the trail ends because nothing was recorded there. */
  unknown: number;
};

/** Something that led to a value; `inquest slice` gives an array of them. */
export type SliceRow = {
  time: number;
  kind: EventName;
  text: string;
  /** The call in which it happened, and its class. */
  call: string;
  number: number;
  class: string;
  why: SliceReason;
  /** The times of the rows that it explains. */
  explains: Array<number>;
  /** The file's name as the class file has it. */
  file: string | null;
  line: number | null;
};

/** Why something is in the trail. */
export type SliceReason = "value" | "address" | "condition" | "perhaps";

/** Why a trail is not whole. */
export type SliceCut = "rows" | "time";

/** Parameters of `GET slice`. */
export type SliceQuery = {
  location: string;
  at?: string | null;
  count?: number | null;
  /** As far back as takes seconds. */
  far?: boolean | null;
};

/**
 * `GET call/N/source`: the method of a call, and what the call did on its lines. For a call into a library, that of
 * the caller.
 */
export type Source = {
  /** Whose method it is: the call, or what called it if it is a library's. */
  call: string;
  number: number;
  /** The line on which a library was called, if that is what was asked for. */
  site: number | null;
  /** Where the text is from; null if there is no source. `GET call/N/text` gives what it says. */
  file: string | null;
  /** The source file by the class's own word. */
  named: string | null;
  suspicious: string | null;
  /** The instructions, where there is no source. */
  listing: Array<Instruction>;
  /** Lines (or instructions) of the method, ascending. */
  code: Array<number>;
  /** What is not among `lines` did not run. */
  complete: boolean;
  /** More can be known by asking for all. */
  more: boolean;
  /** The line of the last event up to the moment. */
  current: number | null;
  lines: Array<LineRun>;
};

/** An instruction, where there is no source. */
export type Instruction = {
  /** Where it is in the bytecode. */
  bci: number;
  line: number | null;
  text: string;
};

/** What a call did on a line, or at an instruction. */
export type LineRun = {
  line: number;
  /** How often control came to it. */
  count: number;
  /** How often up to the moment. */
  until: number;
  values: Array<NamedValue>;
};

/** The source of a call in `inquest show --lines`. */
export type SourceLines = {
  /** Where the text is from; null if there is no source. */
  file: string | null;
  /** Lines are instructions. */
  bytecode: boolean;
  /** A reason not to believe that it is the source of what ran. */
  suspicious: string | null;
  lines: Array<SourceLine>;
};

/** A line of source. */
export type SourceLine = {
  line: number;
  text: string;
  /** How often something happened on it in this call. */
  executed: number;
  /** What was written on it last. */
  values: Array<NamedValue>;
};

/** Parameters of `GET call/N/source`. */
export type SourceQuery = {
  at?: number | null;
  /** Look through the whole call, however long that takes. */
  all?: boolean | null;
};

/** Parameters of `GET call/N/line`. */
export type LineQuery = {
  line: number;
  /** The moment after which, or before which, an event is wanted. */
  at?: number | null;
  back?: boolean | null;
};

/** The next event on a line. */
export type LineEvent = {
  time: number | null;
  /** If there is no time: all of the call was looked through. */
  sure: boolean;
};

/** `GET timeline`: a stretch of time. */
export type Timeline = {
  from: number;
  to: number;
  threads: Array<TimelineThread>;
  /** Threads that are not given because there are so many. */
  left_out: number;
  /** Methods; flames have their places here. */
  methods: Array<TimelineMethod>;
};

/** A thread on the timeline. */
export type TimelineThread = {
  thread: number;
  name: string;
  /** Calls that began in the stretch. */
  calls: number;
  /** The first level that is given. */
  top: number;
  flames: Array<Flame>;
  crowds: Array<Crowd>;
  throws: Array<TimelineMark>;
  output: Array<TimelineMark>;
};

/** A method that flames are of. */
export type TimelineMethod = {
  /** `MergeSort.merge` */
  method: string;
  /** `merge` */
  name: string;
};

/** A call that is long enough to be seen. */
export type Flame = {
  number: number;
  /** Which of the timeline's methods it is of. */
  method: number;
  level: number;
  from: number;
  to: number;
  /** Code of a library. */
  trusted: boolean;
  threw: boolean;
};

/** Calls too short to be told apart: from when to when, on which levels (`deepest` is the last). */
export type Crowd = {
  from: number;
  to: number;
  level: number;
  deepest: number;
  calls: number;
  /** The first of the calls. */
  number: number;
};

/** Something that was thrown or printed. */
export type TimelineMark = {
  time: number;
  /** The call of the program that it happened in. */
  number: number | null;
  /** How many there are so near together. */
  count: number;
};

/** `GET timeline/call/N`: where a call is on the timeline. */
export type TimelineCall = {
  call: string;
  number: number;
  thread: number;
  level: number;
  from: number;
  to: number;
};

/** `GET timeline/mark`: what was thrown or printed at a time. */
export type MarkText = {
  text: string;
};

/** Parameters of `GET timeline`. */
export type TimelineQuery = {
  from?: number | null;
  to?: number | null;
  /** Columns: of one or a few pixels. */
  width?: number | null;
  /** The first level that is wanted of one thread; of the others it is the outermost. */
  thread?: number | null;
  top?: number | null;
};

/** Parameters of `GET timeline/mark`. */
export type MarkQuery = {
  time: number;
};

/** Parameters of `GET goto`. */
export type GotoQuery = {
  /** A call, a time, a location, a part of a method's name. */
  text: string;
};

/** `GET goto`: where that leads. */
export type GotoAnswer = {
  /** What is called so; otherwise calls of methods that are called alike. */
  places: Array<GotoPlace>;
  /** Why there is no place of this name. */
  why: string | null;
};

/** A place that is called so. */
export type GotoPlace = {
  kind: GotoKind;
  /** What it is called. */
  name: string;
  /** The call to go to. */
  number: number | null;
  time: number | null;
  location: string | null;
  /** How many calls of this method there are, where it stands for them. */
  calls: number | null;
};

/** What a place is. */
export type GotoKind = "call" | "time" | "location" | "object";

/** `inquest stats`: what was recorded. A folder of several recordings gives an array of them. */
export type Stats = {
  dir: string;
  /**
   * Nothing was counted: events and calls are reckoned from a part of the recording, objects and strings from their highest
   * numbers.
   */
  about: boolean;
  /** Calls of program code. */
  calls: number;
  events: number;
  /** How many events of each kind, without the kinds that did not occur. */
  kinds: {
    [key in string]: number
  };
  threads: number;
  objects: number;
  /** Objects whose identity may be that of another one. */
  doubtful: number;
  strings: number;
  /** Bytes of the chunk files. */
  bytes: number;
  /** Bytes before compression. */
  raw_bytes: number;
  complete: boolean;
  /** Why recording stopped before the program's end. */
  stopped: string | null;
  /** What the program returned. */
  exit: number | null;
  /** Milliseconds that the program's threads waited for the recorder. */
  waited_ms: number;
  /** Places where log and code did not fit. */
  gaps: number;
  degraded: Array<Degraded>;
  /** `calls`, `heap`, `full` */
  detail: string;
  scope: Scope;
  jvm: Jvm;
  command: Array<string>;
  /** Milliseconds since 1970. */
  started: number;
  ended: number | null;
};

/** A method that is recorded with less detail than the rest, or not at all. */
export type Degraded = {
  class: string;
  /** Name and descriptor; null for a whole class. */
  method: string | null;
  why: string;
};

/** What was recorded of all that ran. */
export type Scope = {
  include: Array<string>;
  exclude: Array<string>;
  /** Code from these folders is the program's own. */
  folders: Array<string>;
  /** The jar that was started. */
  main_jar: string | null;
};

/** The JVM that ran it. */
export type Jvm = {
  version: string;
  vendor: string;
  home: string;
  class_path: string;
  module_path: string;
};

/** `inquest verify`: what is damaged. */
export type Verification = {
  ok: boolean;
  events: number;
  damaged: Array<Damage>;
  /** Places where log and code did not fit; the first ones are among the damaged. */
  gaps: number;
  unfinished: Array<Unfinished>;
  complete: boolean;
};

/** Something that is damaged: in a file, or where log and code do not fit. */
export type Damage = {
  what: string;
  thread: number | null;
  /** In a file: which, and where in it. */
  file: string | null;
  offset: number | null;
  /** In a log: after how many events of the thread, and at which place in the code. */
  after_events: number | null;
  place: string | null;
};

/** Calls of a thread that were open at the end. */
export type Unfinished = {
  thread: number;
  calls: number;
};

/** `inquest simulate`: an array with a row for each strategy. */
export type Simulated = {
  strategy: StrategyName;
  /** Transformations with commas between them, or `none`. */
  transform: string;
  nodes: number;
  /** Questions on average and at most; null if playing took too long. */
  mean: number | null;
  max: number | null;
  /** Bugs that were not found. */
  unfound: number;
  log2: number;
};

/** Body of every refusal. */
export type Refusal = {
  error: string;
};

/** Body of 202: there is no session yet. */
export type Waiting = {
  waiting: string;
};

/** `inquest doctor --json` */
export type Doctor = {
  /** Programs can be recorded here. */
  ok: boolean;
  checks: Array<DoctorCheck>;
};

/** Something that was looked at. */
export type DoctorCheck = {
  /** `java`, `agent`, `memory`, `disk`, `rights`, `build-tool`, `page`, `browser`. */
  check: string;
  /** False if programs cannot be recorded because of this. */
  ok: boolean;
  /** What was found. */
  text: string;
  /** What to do, if something could be better. */
  advice: string | null;
};

/** `inquest pack --json` */
export type Packed = {
  file: string;
  /** Of the file. */
  bytes: number;
  /** Of all files of the recording that are in it. */
  bytes_before: number;
  /** Source files in it. */
  sources: number;
  /** What rules mean was taken out. */
  redacted: boolean;
  /** Texts that were taken out wherever they were. */
  redacted_texts: number;
  /** Strings and arrays that were taken out where rules mean them. */
  redacted_values: number;
  /** What was answered is left out, because a text in it was taken out. */
  answers_left_out: boolean;
};
