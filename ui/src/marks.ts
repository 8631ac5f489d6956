// The signs that rows, values and lines are marked with: each means one thing, wherever it stands.

export const MARKS = [
  { name: "suspect", of: "call", sign: "?", means: "not judged yet" },
  { name: "correct", of: "call", sign: "✓", means: "right" },
  { name: "cleared", of: "call", sign: "✓", means: "within a call that is right" },
  { name: "wrong", of: "call", sign: "✗", means: "wrong" },
  { name: "inadmissible", of: "call", sign: "⊘", means: "its input is already wrong" },
  { name: "trusted", of: "call", sign: "◇", means: "trusted, not asked about" },
  { name: "unknown", of: "call", sign: "~", means: "nobody knew" },
  { name: "unfinished", of: "call", sign: "…", means: "has not ended" },
  { name: "outside", of: "call", sign: "–", means: "not in the part that is asked about" },
  { name: "changed", of: "value", sign: "≠", means: "changed" },
  { name: "within", of: "value", sign: "≈", means: "the same object, a part of it changed" },
  { name: "maybe", of: "value", sign: "≟", means: "may have changed: a value is not known" },
  { name: "maybe-within", of: "value", sign: "≟", means: "a part of it may have changed: too much to look at all of it" },
  { name: "new", of: "value", sign: "+", means: "new" },
  { name: "gone", of: "value", sign: "−", means: "gone" },
  { name: "guilty", of: "line", sign: "●", means: "guilty: what came out depends on it" },
  { name: "unsure", of: "line", sign: "◐", means: "guilty, and what came out may depend on it" },
  { name: "unlikely", of: "line", sign: "○", means: "guilty, but what came out does not depend on it" },
  { name: "ran", of: "line", sign: "·", means: "it ran" },
  { name: "current", of: "line", sign: "▶", means: "the selected moment" },
] as const;

export type Mark = (typeof MARKS)[number];

export type MarkedThing = Mark["of"];

/** What a group of signs is called in the legend. */
export const MARKED: Record<MarkedThing, string> = { call: "Calls", value: "Values", line: "Lines of code" };

type NameOf<T extends MarkedThing> = Extract<Mark, { of: T }>["name"];

export function markOf<T extends MarkedThing>(of: T, name: NameOf<T>): Mark {
  const found = MARKS.find((mark) => mark.of === of && mark.name === name);
  if (found === undefined) throw new Error(`no sign for ${name}`);
  return found;
}
