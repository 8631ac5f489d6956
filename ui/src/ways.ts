// The ways to choose questions and to transform the tree, each in a line for whoever has to choose one.

export const STRATEGIES: Record<string, string> = {
  "single-step": "Inner calls before outer ones, in the order in which they ended. The first wrong answer is the bug.",
  "top-down": "From the symptom down, the calls of a wrong call in the order in which they ran.",
  "top-down-zoom": "As top-down, but recursive calls of the same method first: one keeps thinking about the same code.",
  "heaviest-first": "From the symptom down, the call with the most suspects in it first.",
  "more-rules": "From the symptom down, the call in which the most different methods ran first.",
  "dq-shapiro": "The call with the most suspects in it, but at most half of all.",
  "dq-hirunkitti": "The call nearest to half of the suspects, from below or from above.",
  "dq-nearest": "The call whose suspects are nearest to half.",
  "dq-optimal": "The call that leaves nearly as many suspects if it is right as if it is wrong. The default.",
  "divide-by-rules": "The call in which nearly half of the suspected methods ran.",
  "less-yes": "Heaviest first, but methods that were right before weigh less.",
  "divide-by-yes": "Nearest to half, but methods that were right before weigh less.",
  "dynamic-weight": "Nearest to half; a right answer makes its method less suspicious, a wrong one more.",
  "hat-delta": "Near the wrong call, the method with the smallest share of right answers.",
  "coverage-edge": "Nearest to half, weighed by branches: those that ran in right calls count less.",
  "coverage-defuse": "Nearest to half, weighed by which writes reached which reads; those seen in right calls count less.",
  optimal: "The question that leads to the fewest questions on average. Exact for few suspects, played out for more.",
};

export const TRANSFORMS: Record<string, string> = {
  project: "One question about calls that follow each other and pass values on.",
  balance: "Like calls become one question, and long chains are halved.",
  compress: "Recursion becomes one question where that saves some.",
  loops: "Loops and their iterations are asked about: halving them finds the first wrong one.",
};
