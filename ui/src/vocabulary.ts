// Written from the server's tables (crates/server/tests/vocabulary.rs): not to be changed by hand.

/** How the next question is chosen, each in a line for whoever has to choose one. */
export const STRATEGIES = {
  "single-step": "Inner calls before outer ones, in the order in which they ended. The first wrong answer is the bug.",
  "top-down": "From the symptom down, the calls of a wrong call in the order in which they ran.",
  "top-down-zoom": "As top-down, but recursive calls of the same method first: one keeps thinking about the same code.",
  "heaviest-first": "From the symptom down, the call with the most suspects in it first.",
  "more-rules": "From the symptom down, the call in which the most different methods ran first.",
  "dq-shapiro": "The call with the most suspects in it, but at most half of all.",
  "dq-hirunkitti": "The call nearest to half of the suspects, from below or from above.",
  "dq-nearest": "The call whose suspects are nearest to half.",
  "dq-optimal": "The call that leaves nearly as many suspects if it is right as if it is wrong.",
  "divide-by-rules": "The call in which nearly half of the suspected methods ran.",
  "less-yes": "Heaviest first, but methods that were right before weigh less.",
  "divide-by-yes": "Nearest to half, but methods that were right before weigh less.",
  "dynamic-weight": "Nearest to half; a right answer makes its method less suspicious, a wrong one more.",
  "hat-delta": "Near the wrong call, the method with the smallest share of right answers.",
  "coverage-edge": "Nearest to half, weighed by branches: those that ran in right calls count less.",
  "coverage-defuse": "Nearest to half, weighed by which writes reached which reads; those seen in right calls count less.",
  "optimal": "The question that leads to the fewest questions on average. Exact for few suspects, played out for more.",
  "belief": "The call that teaches most about which method is wrong, per second that it takes to answer.",
} as const;

/** How the tree is changed before. */
export const TRANSFORMS = {
  "project": "One question about calls that follow each other and pass values on.",
  "balance": "Like calls become one question, and long chains are halved.",
  "compress": "Recursion becomes one question where that saves some.",
  "loops": "Loops and their iterations are asked about: halving them finds the first wrong one.",
} as const;

/** What a node of the tree is. */
export const KINDS = {
  "call": { told: null, one_method: true },
  "collapse": { told: { badge: "×n", meaning: "calls of one method, asked about together", asked: "calls of one method, together" }, one_method: false },
  "projection": { told: { badge: "group", meaning: "calls that follow each other, under a row of their own", asked: "calls that follow each other, together" }, one_method: false },
  "nest": { told: { badge: "recursion", meaning: "a call with the calls of the same method nested in it", asked: "a call with its recursion" }, one_method: true },
  "loop": { told: { badge: "loop", meaning: "one run of a loop", asked: "a loop" }, one_method: false },
  "iterations": { told: { badge: "loop", meaning: "some iterations of a loop", asked: "iterations of a loop" }, one_method: false },
  "thread": { told: { badge: "thread", meaning: "all that one thread did", asked: "all that a thread did" }, one_method: false },
  "statement": { told: { badge: "line", meaning: "one statement", asked: "a statement" }, one_method: false },
} as const;

/** What can be answered. */
export const ANSWERS = [
  { id: "right", letter: "y", key: "y", title: "Right", button: null, statement: "It is right", mark: "✓", of_rows: true, trusts: false, takes: null },
  { id: "wrong", letter: "n", key: "n", title: "Wrong", button: null, statement: "It is wrong", mark: "✗", of_rows: true, trusts: false, takes: null },
  { id: "unknown", letter: "d", key: "d", title: "Don't know", button: null, statement: null, mark: "~", of_rows: true, trusts: false, takes: null },
  { id: "because", letter: "n", key: "N", title: "Wrong because of a value…", button: "Because…", statement: null, mark: "✗", of_rows: true, trusts: false, takes: { what: "value", title: "Which value is wrong?", hint: "a[2], this.size, result" } },
  { id: "missing", letter: "m", key: "m", title: "Something is missing…", button: "Missing…", statement: null, mark: "✗", of_rows: true, trusts: false, takes: { what: "object", title: "To what should something have happened?", hint: "this.list, a" } },
  { id: "expected", letter: "e", key: "e", title: "Expected something else…", button: "Expected…", statement: null, mark: "✗", of_rows: true, trusts: false, takes: { what: "words", title: "What should have come out?", hint: "[1, 2, 3]" } },
  { id: "inadmissible", letter: "i", key: "i", title: "Should never have been called like this", button: "Inadmissible", statement: null, mark: "⊘", of_rows: true, trusts: false, takes: null },
  { id: "trust", letter: "t", key: "t", title: "Trust this method", button: "Trust", statement: null, mark: "○", of_rows: true, trusts: true, takes: null },
  { id: "trust-class", letter: "tc", key: "C", title: "Trust this class", button: null, statement: null, mark: "○", of_rows: true, trusts: true, takes: null },
  { id: "trust-package", letter: "tp", key: "P", title: "Trust this package", button: null, statement: null, mark: "○", of_rows: false, trusts: true, takes: null },
] as const;

/** What can happen. */
export const EVENTS = [
  "thread-start",
  "thread-end",
  "enter",
  "exit",
  "unwind",
  "call",
  "return",
  "field",
  "static",
  "element",
  "local",
  "branch",
  "switch",
  "new",
  "named",
  "new-array",
  "throw",
  "catch",
  "monitor-enter",
  "monitor-exit",
  "sync",
  "bulk",
  "contents",
  "gap",
  "stop",
  "fields",
] as const;

export type StrategyName = keyof typeof STRATEGIES;
export type TransformName = keyof typeof TRANSFORMS;
export type KindName = keyof typeof KINDS;
export type Answer = (typeof ANSWERS)[number];
export type EventName = (typeof EVENTS)[number];
