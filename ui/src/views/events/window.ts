// A part of a long list of events, loaded around a moment and extended where somebody looks. Rows have no numbers: a
// list may have 10^7 of them, and only those near a moment can be found quickly.

import { signal } from "@preact/signals";

import type { Around } from "../../api";
import { attempt } from "../../state";
import type { EventRow, EventRows } from "../../wire";

/** Rows that are asked for at once, before and behind what is in sight. */
const PAGE = 70;
/** Rows that are kept. */
const MAX_ROWS = 1200;

export type Load = (around: Around) => Promise<EventRows>;

export class Window {
  /** Counts up with every change of the rows. */
  readonly version = signal(0);
  readonly loading = signal(false);
  rows: EventRow[] = [];
  first = true;
  last = true;
  from = 0;
  to = 0;
  about: string | null = null;
  /** The object that what it is about is a part of. */
  partOf: string | null = null;
  private asked = 0;
  private extending = false;

  constructor(private load: Load) {}

  private async ask(around: Around): Promise<EventRows | null> {
    this.asked += 1;
    const mine = this.asked;
    this.loading.value = true;
    const page = await attempt(() => this.load(around));
    if (mine !== this.asked) return null;
    this.loading.value = false;
    return page;
  }

  /** Shows another part. False if something else was asked for meanwhile. */
  async jump(at: number | null, load = this.load): Promise<boolean> {
    this.load = load;
    const page = await this.ask({ at, before: at === null ? 0 : PAGE, after: PAGE });
    if (page === null) return false;
    this.rows = page.rows;
    this.first = page.first;
    this.last = page.last;
    this.from = page.from;
    this.to = page.to;
    this.about = page.about;
    this.partOf = page.part_of;
    this.version.value += 1;
    return true;
  }

  /** Rows before the first. */
  async earlier(): Promise<void> {
    const head = this.rows[0];
    if (this.first || this.extending || head === undefined) return;
    const page = await this.extend({ at: head.time, before: PAGE, after: 1 });
    if (page === null) return;
    this.rows = [...page.rows.filter((row) => row.time < head.time), ...this.rows];
    this.first = page.first;
    if (this.rows.length > MAX_ROWS) {
      this.rows.length = MAX_ROWS;
      this.last = false;
    }
    this.version.value += 1;
  }

  /** Rows behind the last. */
  async later(): Promise<void> {
    const tail = this.rows.at(-1);
    if (this.last || this.extending || tail === undefined) return;
    const page = await this.extend({ at: tail.time, before: 0, after: PAGE + 1 });
    if (page === null) return;
    this.rows = [...this.rows, ...page.rows.filter((row) => row.time > tail.time)];
    this.last = page.last;
    const spare = Math.max(0, this.rows.length - MAX_ROWS);
    if (spare > 0) {
      this.rows = this.rows.slice(spare);
      this.first = false;
    }
    this.version.value += 1;
  }

  private async extend(around: Around): Promise<EventRows | null> {
    this.extending = true;
    const page = await this.ask(around);
    this.extending = false;
    return page;
  }

  /** The row that stands for a moment: the last one that is not later. None if it is not in what is loaded. */
  find(time: number): number | null {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.rows[middle]?.time ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return this.first && this.rows.length > 0 ? 0 : null;
    return low === this.rows.length && !this.last ? null : low - 1;
  }
}
