// The computation tree: a window over rows that the server has by rank. Browsers cannot make an element as high as 10^8
// rows, so beyond a limit the scroll bar is scaled: what is dragged is scaled, wheel and touch move by rows as ever.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { selection } from "../../selection";
import { balloons, session } from "../../state";
import { keys } from "./keys";
import { RowMenu } from "./menu";
import { Row } from "./row";
import { active, change, first, height, moved, near, pages, reveal, rowAt, wantedInSight, working } from "./rows";
import { Search } from "./search";

const ROW = 24;
const MAX_HEIGHT = 8_000_000;
/** Rows drawn beyond what is in sight, so that scrolling finds them there. */
const BEYOND = 12;
/** Pixels at either end of a scaled scroll bar that are not scaled. */
const EXACT = 50_000;
/** What moves the scroll bar farther than this at once is a drag. */
const DRAG = 3000;

export function Tree() {
  const box = useRef<HTMLDivElement>(null);
  /** Where the scroll bar was when we last knew. */
  const bar = useSignal(0);
  const idle = useRef(0);
  const total = pages.value.total;
  const whole = total * ROW;
  const scaled = whole > MAX_HEIGHT;
  const full = Math.min(whole, MAX_HEIGHT);
  const inSight = () => box.current?.clientHeight ?? height.value * ROW;
  const last = () => Math.max(0, total - inSight() / ROW);

  /** Puts the scroll bar where the rows are. */
  const align = () => {
    const element = box.current;
    if (element === null) return;
    const wanted = scaled ? toBar(first.value * ROW, whole - inSight(), full - inSight()) : first.value * ROW;
    if (Math.abs(element.scrollTop - wanted) >= 1) element.scrollTop = wanted;
    bar.value = element.scrollTop;
  };
  const scrolled = () => {
    const element = box.current;
    if (element === null) return;
    const by = element.scrollTop - bar.value;
    if (by === 0) return;
    bar.value = element.scrollTop;
    if (!scaled) {
      moved(Math.min(last(), element.scrollTop / ROW));
      return;
    }
    const dragged = Math.abs(by) > DRAG;
    const to = dragged ? fromBar(element.scrollTop, whole - inSight(), full - inSight()) / ROW : first.value + by / ROW;
    moved(Math.min(last(), Math.max(0, to)));
    // The bar runs ahead of the rows: it is put right when nothing moves.
    clearTimeout(idle.current);
    idle.current = window.setTimeout(align, 200);
  };

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      height.value = Math.max(3, Math.floor(element.clientHeight / ROW));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // The state of the tree changed, or a row is to be in sight.
  const wanted = wantedInSight.value;
  useLayoutEffect(() => {
    if (wanted === null) return;
    wantedInSight.value = null;
    const { rank, middle } = wanted;
    const rows = inSight() / ROW;
    if (rank < first.value) moved(Math.max(0, middle ? rank - rows / 3 : rank));
    else if (rank + 1 > first.value + rows) moved(Math.min(last(), middle ? rank - rows / 3 : rank + 1 - rows));
    align();
  }, [wanted]);
  useLayoutEffect(() => {
    if (first.value > last()) moved(last());
    align();
  }, [pages.value.state, total]);
  // What is selected elsewhere is shown here.
  const selected = selection.value.call;
  const told = session.value !== null;
  useLayoutEffect(() => {
    if (told) reveal(selected);
  }, [selected, told]);
  const marked = useRef(false);
  // Calls with balloons are counted by the server, which knows what is folded where.
  useSignalEffect(() => {
    const numbers = balloons.value.map((balloon) => balloon.at.number);
    if (numbers.length > 0 || marked.current) void change({ act: "mark", numbers });
    marked.current = numbers.length > 0;
  });

  const from = Math.max(0, Math.floor(first.value) - BEYOND);
  const to = Math.min(total, Math.ceil(first.value) + height.value + 1 + BEYOND);
  const rows = [];
  for (let rank = from; rank < to; rank += 1) rows.push(<Row key={rank} rank={rank} row={rowAt(rank)} />);
  const ahead = from <= active.value && active.value < to;
  // Where the bar is not where the rows are, rows are drawn at the bar.
  const shift = Math.round((from - first.value) * ROW + bar.value);
  return (
    <section class="pane tree" aria-label="Computation tree">
      <Search />
      {working.value && <div class="working" role="status" aria-label="Looking through the tree" />}
      <div
        class="rows"
        ref={box}
        onScroll={scrolled}
        onKeyDown={keys}
        role="treegrid"
        aria-label="Calls"
        aria-rowcount={total}
        aria-activedescendant={ahead ? `row-${active.value}` : undefined}
        tabIndex={0}
      >
        <div class="spacer" style={{ height: `${full}px` }}>
          <div class="window" style={{ top: `${scaled ? shift : from * ROW}px` }}>
            {rows}
          </div>
        </div>
      </div>
      <Whereabouts />
      <RowMenu />
    </section>
  );
}

/**
 * Where the bar is when the rows are scrolled to `place` of `range`; it has `room`. Near both ends one is as far as the
 * other, so that the bar does not come to an end before the rows do.
 */
function toBar(place: number, range: number, room: number): number {
  if (place <= EXACT) return place;
  if (place >= range - EXACT) return room - (range - place);
  return EXACT + ((place - EXACT) / (range - 2 * EXACT)) * (room - 2 * EXACT);
}

function fromBar(bar: number, range: number, room: number): number {
  if (bar <= EXACT) return bar;
  if (bar >= room - EXACT) return range - (room - bar);
  return EXACT + ((bar - EXACT) / (room - 2 * EXACT)) * (range - 2 * EXACT);
}

/** Why the row that is marked is not the call that is selected. */
function Whereabouts() {
  const text = {
    here: null,
    around: "The selected call has no row of its own in this tree: this is the one around it.",
    "left-out": "The selected call is left out here: this is the one around it.",
    nowhere: "The selected call is not in the part that is asked about.",
  }[near.value ?? "here"];
  return text === null ? null : (
    <p class="whereabouts" role="status">
      {text}
    </p>
  );
}
