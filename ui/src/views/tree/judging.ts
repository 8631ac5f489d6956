// Judging any row by hand, asked or not.

import type { TreeRow } from "../../api";
import { judge } from "../../state";

export const JUDGEMENTS: { answer: string; title: string; key: string | null }[] = [
  { answer: "y", title: "Right", key: "Shift+Y" },
  { answer: "n", title: "Wrong", key: "Shift+N" },
  { answer: "d", title: "Don't know", key: "Shift+D" },
  { answer: "i", title: "Should never have been called like this", key: "Shift+I" },
  { answer: "t", title: "Trust this method", key: "Shift+T" },
  { answer: "tc", title: "Trust this class", key: null },
];

export async function judgeRow(row: TreeRow | undefined, answer: string): Promise<void> {
  if (row !== undefined && row.subject !== null) await judge(row.subject, { answer });
}
