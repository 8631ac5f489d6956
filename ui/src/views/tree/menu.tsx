// What can be done with a row: a button on the row, the right mouse button and the menu key open it.

import { signal } from "@preact/signals";

import { busy } from "../../state";
import { KINDS } from "../../vocabulary";
import type { TreeRow } from "../../wire";
import { type Choice, ContextMenu } from "../context";
import { JUDGEMENTS, judgeRow } from "./judging";
import { active, change, rowAt, show, wanted } from "./rows";

const open = signal<{ row: TreeRow; x: number; y: number } | null>(null);

/** At the pointer, or below the row. */
export function openMenu(rank: number, at?: MouseEvent): void {
  const row = rowAt(rank);
  if (row === undefined) return;
  active.value = rank;
  const place = document.getElementById(`row-${rank}`)?.getBoundingClientRect();
  open.value = { row, x: at?.clientX ?? (place?.left ?? 0) + 40, y: at?.clientY ?? place?.bottom ?? 0 };
}

function choices(row: TreeRow): Choice[] {
  const { subject } = row;
  const { one_method } = KINDS[row.kind];
  const judged = JUDGEMENTS.map(({ answer, title, trusts, key }) => {
    // Only calls have a method that could be trusted.
    const enabled = !busy.value && subject !== null && (!trusts || one_method);
    return { title, key, enabled, run: () => judgeRow(row, answer) };
  });
  const method = "call" in row.caption ? row.caption.call.method : null;
  // What says nothing comes first: that is what has the keyboard when the menu opens.
  return [
    {
      title: "Unfold everything in it",
      key: "Shift+→",
      enabled: row.expandable && subject !== null,
      run: () => subject && change({ act: "expand-all", subject }),
    },
    {
      title: "Unfold it and those beside it",
      key: "*",
      enabled: subject !== null,
      run: () => subject && change({ act: "expand-siblings", subject }),
    },
    { title: "Fold everything", key: null, enabled: true, run: () => change({ act: "collapse-all" }) },
    {
      title: "Show only calls of this method",
      key: null,
      enabled: one_method && method !== null,
      run: () => {
        if (method === null) return;
        wanted.value = method;
        return show({ text: method });
      },
    },
    ...judged.map((choice, at) => ({ ...choice, apart: at === 0 })),
  ];
}

export function RowMenu() {
  const now = open.value;
  if (now === null) return null;
  const close = () => {
    if (open.value !== now) return;
    open.value = null;
    document.querySelector<HTMLElement>(".tree .rows")?.focus({ preventScroll: true });
  };
  return <ContextMenu label={now.row.call} choices={choices(now.row)} place={now} close={close} />;
}
