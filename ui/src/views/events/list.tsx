// The rows of a window over events, as a tree grid. While not all rows are loaded the scroll bar stands for time, not
// for rows; wheel and keys go by rows.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import type { EventRow } from "../../wire";
import { bundle } from "./bundles";
import { ROW, Row, hasMore, linesOf } from "./row";
import type { Window } from "./window";

/** The height of a list of which only a part is loaded. */
const SCALED = 400_000;
/** Rows beyond what is in sight that are loaded beforehand. */
const AHEAD = 40;

interface Props {
  label: string;
  window: Window;
  /** The call whose events these are; none where they are of the whole run. */
  root: number | null;
  time: number | null;
  choose: (event: EventRow) => void;
  /** Unfolds or folds a call in place; none where that is not possible. */
  fold: ((call: number) => void) | null;
  enter: (event: EventRow) => void;
}

export function List({ label, window: part, root, time, choose, fold, enter }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = part;
  const drawn = useSignal(0);
  const height = useSignal(400);
  /** How far the first loaded row is above what is in sight. */
  const offset = useRef(0);
  /** The first row in sight, and how much of it is above: kept when rows are put in or go. */
  const sight = useRef({ part, version: -1, time: from, over: 0 });
  /** The moment to be shown when rows come that were asked for. */
  const goal = useRef<number | null>(null);
  /** Where the scroll bar was put, not pulled. */
  const put = useRef(0);
  void drawn.value;
  const version = part.version.value;
  const rows = part.rows;
  const whole = part.first && part.last;
  // A row stands for what is before the next one, unless rows between them are left out.
  const bundles = rows.map((row, at) => bundle(row, root === null ? row.time + 1 : (rows[at + 1]?.time ?? null), root));
  const tops: number[] = [0];
  for (const one of bundles) tops.push((tops.at(-1) ?? 0) + ROW * linesOf(one));
  const all = tops.at(-1) ?? 0;
  const full = whole ? all : SCALED;
  const room = Math.max(1, full - height.value);
  const bound = (wanted: number) => Math.min(Math.max(0, all - height.value), Math.max(0, wanted));
  const scroll = (wanted: number) => {
    offset.current = bound(wanted);
    drawn.value += 1;
  };
  const at = (y: number) => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle + 1] ?? 0) <= y) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, Math.max(0, rows.length - 1));
  };
  if (sight.current.part !== part) offset.current = 0;
  else if (sight.current.version !== version) {
    const index = part.find(goal.current ?? sight.current.time) ?? 0;
    offset.current = bound((tops[index] ?? 0) + (goal.current === null ? sight.current.over : -height.value / 3));
    goal.current = null;
  }
  const top = at(offset.current);
  sight.current = { part, version, time: rows[top]?.time ?? from, over: offset.current - (tops[top] ?? 0) };
  const chosen = time === null ? null : part.find(time);

  // The selected event is in sight, wherever it is.
  useEffect(() => {
    if (time === null || rows.length === 0) return;
    const index = part.find(time);
    if (index === null) {
      goal.current = time;
      void part.jump(time);
      return;
    }
    const [above, below] = [tops[index] ?? 0, tops[index + 1] ?? 0];
    if (above < offset.current) scroll(above - height.value / 3);
    else if (below > offset.current + height.value) scroll(below - (height.value * 2) / 3);
  }, [time, part, rows.length === 0]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      height.value = Math.max(3 * ROW, element.clientHeight);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    // More rows, before somebody gets to the end of those that are there.
    if (offset.current < AHEAD * ROW && !part.first) void part.earlier();
    else if (offset.current + height.value > all - AHEAD * ROW && !part.last) void part.later();
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const now = sight.current.time;
    const wanted = whole ? offset.current : ((now - from) / Math.max(1, to - from)) * room;
    if (Math.abs(element.scrollTop - wanted) > 1) element.scrollTop = wanted;
    put.current = element.scrollTop;
  });

  const scrolled = () => {
    const element = box.current;
    if (element === null || Math.abs(element.scrollTop - put.current) < 2) return;
    if (whole) return scroll(element.scrollTop);
    const wanted = Math.round(from + (element.scrollTop / room) * (to - from));
    put.current = element.scrollTop;
    goal.current = wanted;
    void part.jump(wanted);
  };
  const wheel = (event: WheelEvent) => {
    if (whole || event.ctrlKey) return;
    event.preventDefault();
    scroll(offset.current + event.deltaY * (event.deltaMode === 1 ? ROW : 1));
  };
  const move = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row !== undefined) choose(row);
  };
  const edge = async (moment: number) => {
    if (await part.jump(moment)) {
      const row = moment === to ? part.rows.at(-1) : part.rows[0];
      if (row !== undefined) choose(row);
    }
  };
  const parent = (index: number) => {
    const level = rows[index]?.level ?? 0;
    for (let above = index - 1; above >= 0; above -= 1) {
      if ((rows[above]?.level ?? 0) < level) return above;
    }
    return index;
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const index = chosen ?? -1;
    const row = rows[index];
    const page = Math.max(1, Math.floor(height.value / ROW) - 1);
    switch (event.key) {
      case "ArrowDown":
        move(index + 1);
        break;
      case "ArrowUp":
        move(index - 1);
        break;
      case "PageDown":
        move(index + page);
        break;
      case "PageUp":
        move(index - page);
        break;
      case "Home":
        void edge(from);
        break;
      case "End":
        void edge(to);
        break;
      case "ArrowRight":
        if (fold !== null && row?.child != null && !row.unfolded && hasMore(row)) fold(row.child.number);
        else move(index + 1);
        break;
      case "ArrowLeft":
        if (fold !== null && row !== undefined && row.child !== null && row.unfolded) fold(row.child.number);
        else move(parent(index));
        break;
      case " ":
        if (fold !== null && row?.child != null && hasMore(row)) fold(row.child.number);
        break;
      case "Enter":
        if (row !== undefined) enter(row);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const digits = String(to).length;
  const shown = [];
  for (let index = top; index < rows.length && (tops[index] ?? 0) < offset.current + height.value; index += 1) {
    const row = rows[index];
    const own = bundles[index];
    if (row === undefined || own === undefined) break;
    const child = row.child;
    shown.push(
      <Row
        key={row.time}
        id={`event-${row.time}`}
        named={root === null}
        event={row}
        bundle={own}
        chosen={index !== chosen ? null : row.time === time || child === null ? "exact" : "within"}
        top={(tops[index] ?? 0) - offset.current}
        digits={digits}
        choose={() => choose(row)}
        fold={fold !== null && child !== null && hasMore(row) ? () => fold(child.number) : null}
      />,
    );
  }
  const active = chosen === null ? undefined : rows[chosen];
  return (
    <div
      class="event-list"
      ref={box}
      role="treegrid"
      aria-label={label}
      aria-busy={part.loading.value}
      aria-activedescendant={active === undefined ? undefined : `event-${active.time}`}
      aria-rowcount={whole ? rows.length : -1}
      tabIndex={0}
      onKeyDown={keys}
      onScroll={scrolled}
      onWheel={wheel}
    >
      <div class="spacer" role="presentation" style={{ height: `${full}px` }}>
        <div class="window" role="presentation" style={{ height: `${height.value}px` }}>
          {shown}
        </div>
      </div>
    </div>
  );
}
