// What can be done with the tree from anywhere: for the one table of commands.

import type { Command } from "../../commands";
import { busy, session } from "../../state";
import { JUDGEMENTS, judgeRow } from "./judging";
import { activeRow, change, show, filter } from "./rows";

const open = () => session.value !== null;
const judgeable = () => !busy.value && activeRow()?.subject != null;
const focus = (where: string) => document.querySelector<HTMLElement>(where)?.focus();

export const treeCommands: Command[] = [
  { id: "find-method", title: "Find a method in the tree", keys: ["/"], enabled: open, run: () => focus("#find-method") },
  { id: "to-tree", title: "Go to the tree", keys: [], enabled: open, run: () => focus(".tree .rows") },
  { id: "fold-libraries", title: "Fold or show calls into libraries", keys: [], enabled: open, run: async () => void (await show({ program: !filter.value.program })) },
  { id: "fold-all", title: "Fold everything in the tree", keys: [], enabled: open, run: async () => void (await change({ act: "collapse-all" })) },
  // In the tree they have keys of their own.
  ...JUDGEMENTS.map(({ answer, title, key }) => ({
    id: `judge-${answer}`,
    title: `Selected row: ${title}${key === null ? "" : ` (${key} in the tree)`}`,
    keys: [],
    says: true,
    enabled: judgeable,
    run: () => judgeRow(activeRow(), answer),
  })),
];
