// Judging any row by hand, asked or not.

import type { TreeRow } from "../../wire";
import { judge } from "../../state";
import { ANSWERS } from "../../vocabulary";

/** The key is the letter of the answer, shifted, where that is one letter. */
export const JUDGEMENTS = ANSWERS.filter((row) => row.of_rows && row.takes === null).map(({ letter, title, trusts }) => ({
  answer: letter,
  title,
  trusts,
  key: letter.length === 1 ? `Shift+${letter.toUpperCase()}` : null,
}));

export async function judgeRow(row: TreeRow | undefined, answer: string): Promise<void> {
  if (row !== undefined && row.subject !== null) await judge(row.subject, { answer });
}
