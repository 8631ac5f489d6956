// One table of what can be done: keys, buttons and the palette are all made from it.

import { signal } from "@preact/signals";

import { PANES, focusPane, fold, narrow, nextPane } from "./panes";
import { TABS, select, selection } from "./selection";
import { answer, busy, callOf, choose, insist, judge, missing, question, redo, report, session, undo, zoom } from "./state";
import { nextTheme } from "./theme";
import { ANSWERS, type Answer } from "./vocabulary";
import type { ChangedLocation, Question } from "./wire";
import { stepCommands } from "./views/events/commands";
import { treeCommands } from "./views/tree/commands";

export interface Command {
  id: string;
  title: string;
  /** Under what it stands in the overview of keys. */
  group?: string;
  /** As `KeyboardEvent.key`, with `Shift+` where it matters and `Ctrl+` for Control or Command. */
  keys: string[];
  enabled: () => boolean;
  /** It says something about the program: only its own key or button does that, never a line of the palette. */
  says?: boolean;
  run: () => void | Promise<void>;
}

const asking = () => question.value !== null && !busy.value;
const inCall = () => selection.value.call !== null;

/** What a person is asked for in passing. It stays open until what is given is taken. */
export interface Prompt {
  title: string;
  /** What it is said about. */
  about: string;
  hint: string;
  /** What stands there already. */
  start?: string;
  /** What could be meant. */
  offers?: string[];
  accept: (text: string) => Promise<boolean>;
}

/** Set by the views that they open. */
export const prompt = { ask: (_prompt: Prompt): void => {} };
export const palette = { open: (): void => {}, help: (): void => {} };

/** What of the question is open beside it: why it is asked, and more of what there is to see. */
export const shown = signal({ why: false, more: false, answers: false });

const toggle = (part: "why" | "more" | "answers") => {
  shown.value = { ...shown.value, [part]: !shown.value[part] };
};

/** Locations that a question shows, as they are said there. */
function locations(told: Question, whole: boolean): string[] {
  const parts = [...(told.receiver === null ? [] : [told.receiver]), ...told.args];
  const deep = (list: ChangedLocation[]): string[] => list.flatMap((one) => [one.location, ...deep(one.parts)]);
  const inner = [...parts.flatMap((part) => deep(part.parts)), ...deep(told.changes), ...told.reads.map(({ location }) => location)];
  const made = told.constructs ? (whole ? ["this"] : []) : ["result"];
  const result = told.result !== null && told.result !== "void" ? made : [];
  const own = parts.filter((part) => whole || part.itself).map((part) => part.name);
  return [...new Set([...result, ...own, ...inner])].slice(0, 20);
}

/** An answer with which something has to be said. */
export type Saying = Extract<Answer, { takes: object }>;

/** Says that something is wrong in a way that needs a word, about what is asked now or about anything else. */
export function sayMore(told: Question, { id, takes }: Saying, instead = false): void {
  const { what, title, hint } = takes;
  const places = what === "words" ? {} : { start: selection.value.location ?? "", offers: locations(told, what === "object") };
  prompt.ask({ about: told.text, title, hint, ...places, accept: (text) => judge(told.subject, { answer: "n", [id]: text, instead }) });
}

const giving = (row: Answer) => async () => {
  if (row.takes === null) await answer({ answer: row.letter });
  else if (question.value !== null) sayMore(question.value, row);
};
const zoomable = () => {
  const found = report.value;
  return found !== null && "call" in found.subject;
};

export const commands: Command[] = [
  ...ANSWERS.map((row): Command => ({ id: row.id, title: row.title, group: "Answer", keys: [row.key], says: true, enabled: asking, run: giving(row) })),
  {
    id: "undo",
    title: "Undo",
    group: "Answer",
    keys: ["u"],
    enabled: () => session.value?.can_undo === true && !busy.value,
    run: async () => void (await undo()),
  },
  {
    id: "redo",
    title: "Redo",
    group: "Answer",
    keys: ["r"],
    enabled: () => session.value?.can_redo === true && !busy.value,
    run: async () => void (await redo()),
  },
  { id: "why", title: "Why this question", group: "Question", keys: ["w"], enabled: asking, run: () => toggle("why") },
  { id: "more", title: "Show more", group: "Question", keys: ["s"], enabled: asking, run: () => toggle("more") },
  {
    id: "answers",
    title: "Answers so far",
    group: "Question",
    keys: ["a"],
    enabled: () => (session.value?.answered ?? 0) > 0,
    run: () => toggle("answers"),
  },
  {
    id: "plain",
    title: "Ask about single calls, or about groups again",
    group: "Question",
    keys: ["b"],
    enabled: () => (session.value?.transforms.length ?? 0) > 0 && !busy.value,
    run: async () => {
      const now = session.value;
      if (now !== null) await choose(now.strategy, now.transforms, !now.plain);
    },
  },
  {
    id: "zoom",
    title: "Look into it line by line",
    group: "Question",
    keys: ["z"],
    enabled: () => zoomable() && !busy.value,
    run: async () => {
      const found = report.value;
      if (found !== null) await zoom(callOf(found.subject));
    },
  },
  {
    id: "insist",
    title: "Go on until it is certain",
    group: "Question",
    keys: ["A"],
    enabled: () => session.value?.verdict?.doubt != null && !busy.value,
    run: async () => void (await insist()),
  },
  {
    id: "zoom-out",
    title: "Back from lines to calls",
    group: "Question",
    keys: ["Z"],
    enabled: () => session.value?.zoomed != null && !busy.value,
    run: async () => void (await zoom(null)),
  },
  {
    id: "to-question",
    title: "Go to the question",
    group: "Go",
    keys: ["q"],
    enabled: () => question.value !== null || report.value !== null,
    run: () => {
      const found = report.value === null ? null : callOf(report.value.subject);
      select({ call: question.value?.number ?? found, time: null });
      focusPane("question");
    },
  },
  { id: "palette", title: "Search: calls, times, locations, commands", group: "Go", keys: ["Ctrl+k", ":"], enabled: () => true, run: () => palette.open() },
  { id: "help", title: "Help: what the signs mean, and all keys", group: "Go", keys: ["?"], enabled: () => true, run: () => palette.help() },
  { id: "next-pane", title: "Next pane", group: "Go", keys: ["F6"], enabled: () => true, run: () => nextPane(1) },
  { id: "last-pane", title: "Previous pane", group: "Go", keys: ["Shift+F6"], enabled: () => true, run: () => nextPane(-1) },
  { id: "theme", title: "Light, dark, or as the system has it", group: "Look", keys: [], enabled: () => true, run: nextTheme },
  ...PANES.map(
    (pane): Command => ({
      id: `hide-${pane.id}`,
      title: `Hide or show: ${pane.title}`,
      group: "Look",
      keys: [],
      enabled: () => !narrow.value,
      run: () => fold(pane.id),
    }),
  ),
  ...TABS.map(
    (tab): Command => ({
      id: `view-${tab.id}`,
      title: "command" in tab ? tab.command : tab.title,
      keys: [tab.key],
      // Omissions are of an object, and stay when another call is selected.
      enabled: () => inCall() || (tab.id === "missing" && missing.value !== null),
      run: () => select({ tab: tab.id }),
    }),
  ),
  ...stepCommands,
  ...treeCommands,
];

export function command(id: string): Command {
  const found = commands.find((command) => command.id === id);
  if (found === undefined) throw new Error(`no command ${id}`);
  return found;
}

/** The command that a key stands for, unless somebody is typing. */
export function byKey(event: KeyboardEvent): Command | undefined {
  if (event.altKey) return undefined;
  const target = event.target as HTMLElement | null;
  const held = event.ctrlKey || event.metaKey;
  const typing = target?.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]") != null;
  if ((typing && !held) || target?.closest("dialog") != null) return undefined;
  const shifted = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
  const key = held ? `Ctrl+${event.key}` : shifted;
  const command = commands.find((command) => command.keys.includes(key) && command.enabled());
  // A key that is held down is one answer, not one for each question that comes.
  return command?.says === true && event.repeat ? undefined : command;
}
