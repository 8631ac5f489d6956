// One line of the state: a value before and after with its mark, or the controls to page through a long object.

import { useSignal } from "@preact/signals";

import { api } from "../../api";
import { selection } from "../../selection";
import { attempt, tell } from "../../state";
import type { StateRow, StateSide } from "../../wire";
import { acts } from "./acts";
import { open, raw, wanted } from "./opened";
import { type PagerLine, type ValueLine, WINDOW, signOf } from "./rows";
import { longText } from "./text";

interface ValueProps {
  line: ValueLine;
  from: number;
  to: number;
  active: boolean;
  toggle: () => void;
  choose: () => void;
  menu: (event: MouseEvent) => void;
}

export function Value({ line, from, to, active, toggle, choose, menu }: ValueProps) {
  const { row, level } = line;
  const [sign, word] = signOf(row.mark);
  const chosen = row.location !== null && selection.value.location === row.location;
  const openable = row.total > 0;
  return (
    <tr
      role="row"
      class={`value ${row.mark} ${row.role} ${chosen ? "chosen" : ""}`}
      data-key={line.key}
      tabIndex={active ? 0 : -1}
      aria-level={level}
      aria-posinset={line.place}
      aria-setsize={line.siblings}
      aria-expanded={openable ? row.rows !== null : undefined}
      aria-selected={chosen}
      onClick={choose}
      onDblClick={() => openable && toggle()}
      onContextMenu={menu}
    >
      <td role="gridcell" class="sign" title={word}>
        {sign}
      </td>
      <th role="rowheader" scope="row" title={titleOf(row)}>
        <span class="indent" style={{ paddingLeft: `${(level - 1) * 14}px` }}>
          {openable ? (
            <button
              class="twist"
              tabIndex={-1}
              aria-label={`Parts of ${row.label}`}
              onClick={(event) => {
                event.stopPropagation();
                toggle();
              }}
            >
              {row.rows === null ? "▸" : "▾"}
            </button>
          ) : (
            <span class="twist" />
          )}
          <span class="label">{row.label}</span>
          {word !== "" && <span class="hidden word"> {word}</span>}
        </span>
      </th>
      <td role="gridcell" class={hasOwnBefore(row) ? "before" : "before as-after"}>
        <Shown side={row.before} at={from} location={row.location} />
      </td>
      <td role="gridcell" class="after">
        <Shown side={row.after} at={to} location={row.location} />
      </td>
      <td role="gridcell" class="acts">
        {acts(row, from, to).map((act) => (
          <button
            tabIndex={-1}
            title={act.title}
            aria-label={act.title}
            onClick={(event) => {
              event.stopPropagation();
              act.run();
            }}
          >
            {act.sign}
          </button>
        ))}
      </td>
    </tr>
  );
}

/** What it was before says something: it was another value. */
const hasOwnBefore = ({ before, mark }: StateRow) => before !== null && before.state === "set" && mark !== "same";

const ROLES: Record<StateRow["role"], string> = {
  this: "the object whose method was called",
  argument: "an argument",
  local: "a local variable",
  result: "what the call returned",
  thrown: "what the call threw",
  static: "a static field",
  part: "",
};

function titleOf(row: StateRow): string {
  return [row.location ?? row.label, ROLES[row.role]].filter((text) => text !== "").join(": ");
}

const STATES: Record<StateSide["state"], string> = {
  set: "",
  unset: "not yet set",
  "out-of-scope": "out of scope",
  unknown: "unknown",
};

function Shown({ side, at, location }: { side: StateSide | null; at: number; location: string | null }) {
  if (side === null) return null;
  if (side.state !== "set") return <span class="no-value">{STATES[side.state]}</span>;
  const named = side.object ?? location;
  return (
    <>
      <span class="held" title={side.text}>
        {side.text}
      </span>
      {side.seen && (
        <span class="no-value" title="Known from what a library last showed of it; it may have changed since">
          {" "}
          as last seen
        </span>
      )}
      {side.chars !== null && named !== null && (
        <button
          class="small whole-text"
          tabIndex={-1}
          onClick={(event) => {
            event.stopPropagation();
            longText(named, at);
          }}
        >
          {side.chars.toLocaleString()} chars…
        </button>
      )}
    </>
  );
}

/** Pages through the parts of a long object, and jumps to an index or to a change. */
export function Pager({ line, from, to, active }: { line: PagerLine; from: number; to: number; active: boolean }) {
  const { row, path, level } = line;
  const typed = useSignal("");
  const last = Math.floor((row.total - 1) / WINDOW) * WINDOW;
  const shownTo = Math.min(row.total, row.skip + WINDOW);
  const tab = active ? 0 : -1;
  const page = (skip: number) => open(path, Math.max(0, Math.min(last, skip)));
  const jump = (index: number) => {
    wanted.value = [...path, `[${index}]`];
    page(Math.floor(index / WINDOW) * WINDOW);
  };
  const change = async (back: boolean) => {
    const parts = { before: row.before?.object ?? null, after: row.after?.object ?? null, from, to, raw: raw.value };
    const found = await attempt(() => api.nextChange({ ...parts, index: back ? row.skip : shownTo, back }));
    if (found === null) return;
    if (found.index === null) tell(found.cut ? "None among those that could be looked at." : `None ${back ? "before" : "behind"} these.`);
    else jump(found.index);
  };
  const go = (event: Event) => {
    event.preventDefault();
    const index = Number(typed.value);
    if (!/^\d+$/.test(typed.value.trim()) || index >= row.total) tell(`There are elements 0 to ${row.total - 1}.`, true);
    else jump(index);
  };
  return (
    <tr role="row" class="pager" data-key={line.key} tabIndex={tab} aria-level={level}>
      <td role="gridcell" class="sign" />
      <td role="gridcell" colSpan={4}>
        <form class="pages" style={{ paddingLeft: `${(level - 1) * 14 + 18}px` }} onSubmit={go}>
          <span class="faint">
            {row.skip.toLocaleString()} to {(shownTo - 1).toLocaleString()} of {row.total.toLocaleString()}
          </span>
          <button type="button" class="small" tabIndex={tab} disabled={row.skip === 0} onClick={() => page(row.skip - WINDOW)}>
            ‹ before
          </button>
          <button type="button" class="small" tabIndex={tab} disabled={row.skip >= last} onClick={() => page(row.skip + WINDOW)}>
            next ›
          </button>
          <input
            tabIndex={tab}
            aria-label={`Go to element of ${row.label}`}
            placeholder="go to element…"
            inputMode="numeric"
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
          <button type="button" class="small" tabIndex={tab} onClick={() => void change(true)}>
            ‹ change
          </button>
          <button type="button" class="small" tabIndex={tab} onClick={() => void change(false)}>
            change ›
          </button>
        </form>
      </td>
    </tr>
  );
}
