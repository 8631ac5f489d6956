// The node view: each variable of the selected call before and after the interval, as deep as somebody looks. What
// changed is marked by the server, which compares values and not texts.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { api } from "../../api";
import { useLoaded } from "../../load";
import { selection } from "../../selection";
import { version } from "../../state";
import { ContextMenu, type MenuPosition } from "../context";
import { Legend } from "../legend";
import { choose, menuActs } from "./acts";
import { Pager, Value } from "./line";
import { allStatics, close, keyOf, open, opened, openedList, raw, setRaw, wanted } from "./opened";
import { type Line, lines } from "./rows";
import { LongText } from "./text";

export function State({ call }: { call: number }) {
  const { time } = selection.value;
  const loaded = useLoaded(
    () => api.state(call, { to: time, raw: raw.value, open: openedList(), statics: allStatics.value }),
    [call, time, raw.value, opened.value, allStatics.value, version.value],
  );
  const active = useSignal<string | null>(null);
  const menu = useSignal<{ key: string; place: MenuPosition } | null>(null);
  const grid = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const path = wanted.value;
    if (path === null || loaded.loading) return;
    const rows = [...(grid.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])];
    const row = rows.find((row) => row.dataset["key"] === `:${keyOf(path)}`);
    if (row === undefined) return;
    wanted.value = null;
    active.value = row.dataset["key"] ?? null;
    row.focus();
    row.scrollIntoView({ block: "center" });
  }, [wanted.value, loaded.value, loaded.loading]);
  if (loaded.error !== null) return <p class="warn">{loaded.error}</p>;
  const state = loaded.value;
  if (state === null) return <p class="faint">Looking…</p>;
  const list = lines(state);
  const stops = list.filter((line) => line.kind !== "head");
  const current = stops.find((line) => line.key === active.value) ?? stops[0];

  const go = (line: Line | undefined) => {
    wanted.value = null;
    if (line === undefined) return;
    active.value = line.key;
    const rows = [...(grid.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])];
    rows.find((row) => row.dataset["key"] === line.key)?.focus();
  };
  const toggle = (line: Line) => {
    if (line.kind !== "value" || line.row.total === 0) return;
    active.value = line.key;
    if (line.row.rows === null) open(line.path);
    else close(line.path);
  };
  const showMenu = (line: Line, place: MenuPosition) => {
    if (line.kind !== "value") return;
    active.value = line.key;
    menu.value = { key: line.key, place };
  };
  const keys = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest("input, .context") !== null || current === undefined) return;
    const at = stops.indexOf(current);
    const value = current.kind === "value" ? current : null;
    const isOpen = value?.row.rows != null;
    const box = (event.target as HTMLElement).getBoundingClientRect();
    const key = event.key === "F10" && event.shiftKey ? "ContextMenu" : event.key;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "ArrowDown") go(stops[at + 1]);
    else if (key === "ArrowUp") go(stops[at - 1]);
    else if (key === "Home") go(stops[0]);
    else if (key === "End") go(stops[stops.length - 1]);
    else if (key === "ArrowRight") {
      if (isOpen) go(stops[at + 1]);
      else toggle(current);
    } else if (key === "ArrowLeft") {
      if (isOpen) toggle(current);
      else go(stops.slice(0, at).findLast((line) => line.kind === "value" && line.level < current.level));
    } else if (key === " " && value !== null) choose(value.row);
    else if ((key === "Enter" || key === "ContextMenu") && value !== null) {
      if (key === "Enter") choose(value.row);
      showMenu(value, { x: box.left + 40, y: box.bottom });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = list.find((line) => line.key === menu.value?.key);
  return (
    <>
      <div class="above">
        <label class="faint" title="The fields as they are declared, such as a list's elementData and size, instead of its elements">
          <input type="checkbox" checked={raw.value} onChange={(event) => setRaw(event.currentTarget.checked)} /> internal fields
        </label>
        <Legend of="value" />
      </div>
      <table class="state-grid" role="treegrid" aria-label="Variables" aria-busy={loaded.loading} ref={grid} onKeyDown={keys}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" class="sign">
              <span class="hidden">changed</span>
            </th>
            <th role="columnheader">variable</th>
            <th role="columnheader" class="before">at entry</th>
            <th role="columnheader">{state.whole ? "at the end" : `after event ${state.to}`}</th>
            <th role="columnheader" class="acts">
              <span class="hidden">what to do with it</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {list.map((line) =>
            line.kind === "value" ? (
              <Value
                key={line.key}
                line={line}
                from={state.from}
                to={state.to}
                active={line === current}
                toggle={() => toggle(line)}
                choose={() => {
                  active.value = line.key;
                  choose(line.row);
                }}
                menu={(event) => {
                  event.preventDefault();
                  showMenu(line, { x: event.clientX, y: event.clientY });
                }}
              />
            ) : line.kind === "pager" ? (
              <Pager key={line.key} line={line} from={state.from} to={state.to} active={line === current} />
            ) : (
              <tr role="row" class="head" key={line.key}>
                <td role="gridcell" class="sign" />
                <td role="gridcell" colSpan={4}>
                  {line.text}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {list.length === 0 && <p class="faint">It has no variables, and no static field is known to have been written or read.</p>}
      {state.more_statics > 0 && (
        <button class="small" onClick={() => (allStatics.value = true)}>
          {state.more_statics} more static fields
        </button>
      )}
      {state.statics_cut && <p class="faint">The call is long: other static fields may have been written or read in it.</p>}
      {shown?.kind === "value" && menu.value !== null && (
        <ContextMenu
          label="What to do with it"
          choices={menuActs(shown.row, state.from, state.to)}
          place={menu.value.place}
          close={() => {
            menu.value = null;
            go(shown);
          }}
        />
      )}
      <LongText />
    </>
  );
}
