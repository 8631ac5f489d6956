// What is on the timeline and where: lanes from top to bottom, and the things in them that can be pointed at. Nothing
// here draws or asks.

import type { Timeline, TimelineCall, TimelineThread } from "../../wire";

export const LEVEL = 14;
/** The row of exceptions and output above a lane's calls. */
export const MARKS = 12;
export const GAP = 8;
/** Levels of a thread that the server tells. */
export const LEVELS = 64;
/** A stretch is not made shorter: there would be less than an event per pixel. */
const SHORTEST = 20;

/** From one moment to another, both included. */
export interface Stretch {
  from: number;
  to: number;
}

export interface Item {
  kind: "flame" | "crowd" | "throw" | "output";
  lane: number;
  /** The row in its lane; -1 is that of the marks. A crowd has several. */
  row: number;
  last: number;
  from: number;
  to: number;
  call: number | null;
  count: number;
  name: string;
  /** Where there is little room. */
  short: string;
  library: boolean;
  threw: boolean;
}

export interface Placed {
  lane: TimelineThread;
  top: number;
  /** Where the calls begin: below the marks, if there are any. */
  calls: number;
  height: number;
}

export interface Layout {
  lanes: Placed[];
  items: Item[];
  height: number;
}

/** `rows`: how many each thread has had so far: a lane does not shrink when one moves about. */
export function layout(told: Timeline, rows: Map<number, number>): Layout {
  const lanes: Placed[] = [];
  const items: Item[] = [];
  let top = 0;
  told.threads.forEach((lane, at) => {
    const deepest = (sum: number, level: number) => Math.max(sum, level - lane.top + 1);
    const own = lane.crowds.reduce((sum, crowd) => deepest(sum, crowd.deepest), lane.flames.reduce((sum, flame) => deepest(sum, flame.level), 1));
    const count = Math.max(rows.get(lane.thread) ?? 0, own);
    rows.set(lane.thread, count);
    const marks = lane.throws.length + lane.output.length > 0 || (rows.get(-lane.thread) ?? 0) > 0;
    if (marks) rows.set(-lane.thread, 1);
    const calls = top + (marks ? MARKS : 0);
    const height = calls - top + count * LEVEL + GAP;
    lanes.push({ lane, top, calls, height });
    top += height;
    const plain = { lane: at, count: 1, short: "", library: false, threw: false };
    // Crowds first: what can be told apart is drawn over them.
    for (const crowd of lane.crowds) {
      const name = `${crowd.calls.toLocaleString("en")} short calls`;
      const [row, last] = [crowd.level - lane.top, crowd.deepest - lane.top];
      items.push({ ...plain, kind: "crowd", row, last, from: crowd.from, to: crowd.to, call: crowd.number, count: crowd.calls, name });
    }
    for (const { number: call, level, from, to, trusted: library, threw, method } of lane.flames) {
      const row = level - lane.top;
      items.push({ ...plain, kind: "flame", row, last: row, from, to: to + 1, call, name: told.methods[method]?.method ?? "", short: told.methods[method]?.name ?? "", library, threw });
    }
    const mark = (kind: "throw" | "output", list: TimelineThread["throws"]) => {
      for (const { time, number: call, count } of list) {
        const name = kind === "throw" ? (count === 1 ? "exception" : `${count} exceptions`) : count === 1 ? "output" : `${count} times output`;
        items.push({ ...plain, kind, row: -1, last: -1, from: time, to: time + 1, call, count, name });
      }
    };
    mark("output", lane.output);
    mark("throw", lane.throws);
  });
  return { lanes, items, height: top };
}

/** The position of a moment. */
export function across(stretch: Stretch, width: number, time: number): number {
  return ((time - stretch.from) / (stretch.to - stretch.from + 1)) * width;
}

export function timeAt(stretch: Stretch, width: number, x: number): number {
  return stretch.from + (x / width) * (stretch.to - stretch.from + 1);
}

/** What is at a place; marks are easier to hit than they are wide. */
export function itemAt({ lanes, items }: Layout, stretch: Stretch, width: number, x: number, y: number): Item | undefined {
  const at = lanes.findIndex((lane) => y >= lane.top && y < lane.top + lane.height);
  const lane = lanes[at];
  if (lane === undefined) return undefined;
  const row = y < lane.calls ? -1 : Math.floor((y - lane.calls) / LEVEL);
  const slack = row === -1 ? 5 : 1;
  return items.findLast(
    (item) =>
      item.lane === at &&
      item.row <= row &&
      row <= item.last &&
      x >= across(stretch, width, item.from) - slack &&
      x <= Math.max(across(stretch, width, item.to), across(stretch, width, item.from) + 1) + slack,
  );
}

/** A stretch within the run that is not too short. */
export function within(from: number, to: number, last: number): Stretch | null {
  const size = Math.max(SHORTEST, Math.round(to - from));
  if (size >= last) return null;
  const begin = Math.min(Math.max(0, Math.round(from)), last - size);
  return { from: begin, to: begin + size };
}

/** Larger (`factor` below 1) or smaller, with one moment staying where it is. */
export function zoomed(stretch: Stretch, factor: number, around: number, last: number): Stretch | null {
  return within(around - (around - stretch.from) * factor, around + (stretch.to - around) * factor, last);
}

/** A call with some room around it. */
export function around(spot: Stretch, last: number): Stretch | null {
  const room = Math.max(4, (spot.to - spot.from) * 0.05);
  return within(spot.from - room, spot.to + room, last);
}

/** The next thing to the side of another, or above or below it. */
export function neighbour({ lanes, items }: Layout, stretch: Stretch, from: Item | null, key: string): Item | undefined {
  const seen = items.filter((item) => item.to > stretch.from && item.from <= stretch.to);
  if (from === null) return seen.find((item) => item.kind === "flame") ?? seen[0];
  if (key === "ArrowRight" || key === "ArrowLeft") {
    const beside = seen.filter((item) => item.lane === from.lane && item.row <= from.row && from.row <= item.last);
    beside.sort((a, b) => a.from - b.from);
    return key === "ArrowRight"
      ? beside.find((item) => item.from > from.from)
      : beside.findLast((item) => item.from < from.from);
  }
  const by = key === "ArrowDown" ? 1 : -1;
  const middle = (Math.max(from.from, stretch.from) + Math.min(from.to, stretch.to)) / 2;
  const away = (item: Item) => (item.from <= middle && middle <= item.to ? 0 : Math.min(Math.abs(item.from - middle), Math.abs(item.to - middle)));
  const nearest = (lane: number, row: number) =>
    seen.filter((item) => item.lane === lane && item.row <= row && row <= item.last).sort((a, b) => away(a) - away(b))[0];
  for (let lane = from.lane, row = from.row + by; lanes[lane] !== undefined; lane += by, row = by > 0 ? -1 : LEVELS) {
    for (; row >= -1 && row <= LEVELS; row += by) {
      const found = nearest(lane, row);
      if (found !== undefined && found !== from) return found;
    }
  }
  return undefined;
}

/** The stretch in words, for whoever cannot see it. */
export function described({ threads, left_out }: Timeline, stretch: Stretch): string {
  const many = (count: number, one: string) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
  const sum = (list: TimelineThread["throws"]) => list.reduce((all, mark) => all + mark.count, 0);
  const parts = threads.slice(0, 10).map((lane) => {
    const marks = [many(lane.calls, "call"), many(sum(lane.throws), "exception"), `${many(sum(lane.output), "time")} output`];
    return `${lane.name}: ${marks.join(", ")}`;
  });
  const more = Math.max(0, threads.length - 10) + left_out;
  return `Events ${stretch.from} to ${stretch.to}. ${parts.join(". ")}.${more > 0 ? ` And ${many(more, "more thread")}.` : ""}`;
}

/** Where a call is in a layout: its lane, and the row there even if it is out of the levels that are told. */
export function placeOf({ lanes }: Layout, spot: TimelineCall): { lane: Placed; y: number } | undefined {
  const lane = lanes.find((one) => one.lane.thread === spot.thread);
  return lane && { lane, y: lane.calls + (spot.level - lane.lane.top) * LEVEL };
}
