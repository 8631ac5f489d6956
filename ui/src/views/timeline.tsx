// The run from left to right: a lane per thread with its calls as flames, exceptions and output as marks, the selected
// call and moment. Drawn on a canvas, because there are thousands of them; a cursor of its own says them to whoever
// cannot see it.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { api } from "../api";
import { useLoaded } from "../load";
import { select, selection } from "../selection";
import { callOf, report, session } from "../state";
import type { TimelineCall, Timeline as Told } from "../wire";
import { type Colours, type Scene, coloursOf, draw, drawOverview } from "./timeline/draw";
import { GAP, LEVEL, LEVELS, type Item, type Layout, type Stretch, around, described, itemAt, layout, neighbour, placeOf, timeAt, within, zoomed } from "./timeline/model";

/** The names of the threads stand left of the canvas. */
const NAMES = 96;
const OVERVIEW = 14;
/** A column of the server's answer, in pixels. */
const COLUMN = 2;

/** Counts up when colours may be others. */
function useScheme(): number {
  const count = useSignal(0);
  useEffect(() => {
    const changed = () => (count.value += 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", changed);
    const watch = new MutationObserver(changed);
    watch.observe(document.documentElement, { attributes: true });
    return () => {
      dark.removeEventListener("change", changed);
      watch.disconnect();
    };
  }, []);
  return count.value;
}

function useTimelineCall(call: number | null): TimelineCall | null {
  return useLoaded(() => (call === null ? null : api.timelineCall(call)), [call]).value;
}

export function Timeline() {
  const { call, time } = selection.value;
  const last = session.value?.recording.last_time ?? 0;
  const lanes = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<HTMLCanvasElement>(null);
  const rows = useRef(new Map<number, number>());
  const width = useSignal(800);
  const tall = useSignal(100);
  const zoom = useSignal<Stretch | null>(null);
  const asked = useSignal<Stretch | null>(null);
  const hovered = useSignal<Item | null>(null);
  const pointer = useSignal<[number, number]>([0, 0]);
  const cursor = useSignal<Item | null>(null);
  const dragged = useSignal<[number, number] | null>(null);
  const said = useSignal("");
  const scheme = useScheme();

  const chosen = useTimelineCall(call);
  const guiltyCall = report.value === null ? null : callOf(report.value.subject);
  const guilty = useTimelineCall(guiltyCall);
  // Deeper than a lane shows: the lane begins further down.
  const deep = chosen !== null && chosen.level >= LEVELS ? Math.floor(chosen.level / (LEVELS / 2)) * (LEVELS / 2) - LEVELS / 4 : null;
  useEffect(() => {
    const soon = setTimeout(() => (asked.value = zoom.value), 40);
    return () => clearTimeout(soon);
  }, [zoom.value]);
  const columns = Math.ceil(Math.max(100, width.value) / COLUMN);
  const started = session.value !== null;
  const told = useLoaded(
    () => (started ? api.timeline({ from: asked.value?.from ?? null, to: asked.value?.to ?? null, width: columns, thread: deep === null ? null : (chosen?.thread ?? null), top: deep }) : null),
    [asked.value, columns, last, deep, deep === null ? null : chosen?.thread, started],
  ).value;
  const whole = useLoaded(() => (zoom.value === null ? null : api.timeline({ width: 300 })), [zoom.value === null, last]).value;

  const stretch: Stretch = zoom.value ?? { from: 0, to: last };
  const placed = useRef<{ told: Told | null; layout: Layout }>({ told: null, layout: { lanes: [], items: [], height: 0 } });
  if (told !== null && placed.current.told !== told) placed.current = { told, layout: layout(told, rows.current) };
  const now = placed.current.layout;
  const colours = useRef<{ scheme: number; of: Colours } | null>(null);

  const paint = useRef<() => void>(() => {});
  paint.current = () => {
    const [box, target] = [lanes.current, canvas.current];
    if (box === null || target === null) return;
    if (colours.current?.scheme !== scheme) colours.current = { scheme, of: coloursOf(box) };
    const scene: Scene = {
      layout: now,
      stretch,
      width: width.value,
      height: tall.value,
      scrolled: box.scrollTop,
      chosen,
      time,
      guilty,
      hovered: hovered.value,
      cursor: document.activeElement === target ? cursor.value : null,
      dragged: dragged.value,
    };
    draw(target, scene, colours.current.of);
    const all = strip.current;
    if (all !== null && whole !== null) drawOverview(all, whole, stretch, all.clientWidth, OVERVIEW, colours.current.of);
  };
  useEffect(() => {
    const frame = requestAnimationFrame(() => paint.current());
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => {
    const box = lanes.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => {
      width.value = Math.max(50, box.clientWidth - NAMES);
      tall.value = box.clientHeight;
      requestAnimationFrame(() => paint.current());
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  // The selected call is in sight.
  useEffect(() => {
    const box = lanes.current;
    const place = chosen === null ? undefined : placeOf(now, chosen);
    if (box === null || place === undefined) return;
    if (place.y < box.scrollTop || place.y + 20 > box.scrollTop + box.clientHeight) box.scrollTop = place.y - box.clientHeight / 2;
  }, [chosen, told]);
  useWheel(canvas, (event) => {
    const { left } = canvas.current!.getBoundingClientRect();
    const middle = timeAt(stretch, width.value, event.clientX - left);
    const amount = event.deltaY !== 0 ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.shiftKey) zoom.value = zoomed(stretch, Math.exp(Math.max(-1, Math.min(1, amount / 200))), middle, last);
    else if (zoom.value !== null && Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / width.value);
    else return false;
    return true;
  });

  const pan = (share: number) => {
    const by = (stretch.to - stretch.from) * share;
    if (zoom.value !== null) zoom.value = within(stretch.from + by, stretch.to + by, last) ?? zoom.value;
  };
  const scale = (factor: number) => {
    const inSight = (at: number) => at >= stretch.from && at <= stretch.to;
    const middle = time !== null && inSight(time) ? time : (stretch.from + stretch.to) / 2;
    zoom.value = zoomed(stretch, factor, middle, last);
  };
  const toSelection = () => {
    if (chosen !== null) zoom.value = around(chosen, last);
  };
  const choose = (item: Item) => {
    if (item.kind === "crowd") zoom.value = within(item.from - 10 * (item.to - item.from), item.to + 10 * (item.to - item.from), last);
    else if (item.kind === "flame") select({ call: item.call, time: null });
    else if (item.call !== null) select({ call: item.call, time: item.from });
  };
  const at = (event: MouseEvent): Item | null => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    return itemAt(now, stretch, width.value, event.clientX - left, event.clientY - top + (lanes.current?.scrollTop ?? 0)) ?? null;
  };
  const move = (to: Item | undefined) => {
    if (to === undefined) return false;
    cursor.value = to;
    void textOf(to, now).then((text) => cursor.value === to && (said.value = text));
    const lane = now.lanes[to.lane];
    const box = lanes.current;
    if (lane !== undefined && box !== null) {
      const y = to.row === -1 ? lane.top : lane.calls + to.row * LEVEL;
      if (y < box.scrollTop || y + 20 > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
    }
    return true;
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const sideways = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (event.key === "+" || event.key === "=") scale(0.5);
    else if (event.key === "-") scale(2);
    else if (event.key === "Home") zoom.value = null;
    else if (event.key === "Enter" && cursor.value !== null) choose(cursor.value);
    else if (event.key === "z" && cursor.value !== null) zoom.value = around(cursor.value, last);
    else if (sideways !== 0 && event.shiftKey) pan(sideways * 0.25);
    else if (event.key.startsWith("Arrow")) {
      if (!move(neighbour(now, stretch, known(now, cursor.value), event.key)) && sideways !== 0) pan(sideways * 0.25);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const description = told === null ? "" : described(told, stretch);
  return (
    <section class="pane timeline" aria-label="Timeline">
      <header class="crumbs">
        <span class="range">
          {zoom.value === null ? `${(last + 1).toLocaleString("en")} events` : `events ${stretch.from.toLocaleString("en")} to ${stretch.to.toLocaleString("en")}`}
          {told !== null && told.left_out > 0 && `, ${told.left_out} more threads not shown`}
        </span>
        <canvas
          ref={strip}
          class={`overview ${zoom.value === null ? "none" : ""}`}
          aria-hidden="true"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            jump(event);
          }}
          onPointerMove={(event) => event.buttons === 1 && jump(event)}
        />
        <span class="legend faint" aria-hidden="true">
          <i class="throw">▲</i> exception <i>■</i> output <i class="many" /> many short calls
        </span>
        <button class="small" aria-label="Zoom in" title="Zoom in (+, or Ctrl and wheel, or draw a range)" onClick={() => scale(0.5)}>
          +
        </button>
        <button class="small" aria-label="Zoom out" title="Zoom out (-)" disabled={zoom.value === null} onClick={() => scale(2)}>
          −
        </button>
        <button class="small" title="The whole run (Home)" disabled={zoom.value === null} onClick={() => (zoom.value = null)}>
          All
        </button>
        <button class="small" title="Zoom to the selected call" disabled={chosen === null} onClick={toSelection}>
          To the selection
        </button>
      </header>
      <div class="lanes" ref={lanes} onScroll={() => paint.current()}>
        <div class="space" style={{ height: `${now.height}px` }}>
          <div class="stick">
            <canvas
              ref={canvas}
              style={{ marginLeft: `${NAMES}px`, width: `${width.value}px`, height: `${tall.value}px` }}
              tabIndex={0}
              role="application"
              aria-roledescription="timeline"
              aria-label="Threads and their calls over time"
              aria-describedby="timeline-told"
              onKeyDown={key}
              onFocus={() => {
                if (cursor.value === null) move(now.items.find((item) => item.call === call) ?? neighbour(now, stretch, null, ""));
                paint.current();
              }}
              onBlur={() => paint.current()}
              onPointerDown={(event) => {
                if (event.button !== 0) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                dragged.value = [event.offsetX, event.offsetX];
              }}
              onPointerMove={(event) => {
                pointer.value = [event.clientX, event.clientY];
                if (dragged.value !== null) dragged.value = [dragged.value[0], Math.min(width.value, Math.max(0, event.offsetX))];
                else hovered.value = at(event);
              }}
              onPointerUp={(event) => {
                const range = dragged.value;
                dragged.value = null;
                if (range === null) return;
                const [from, to] = [Math.min(...range), Math.max(...range)];
                const item = at(event);
                if (to - from > 4) zoom.value = within(timeAt(stretch, width.value, from), timeAt(stretch, width.value, to), last);
                else if (item !== null) {
                  cursor.value = item;
                  choose(item);
                }
              }}
              onPointerCancel={() => (dragged.value = null)}
              onPointerLeave={() => (hovered.value = null)}
              onDblClick={(event) => {
                const item = at(event);
                if (item?.kind === "flame") zoom.value = around(item, last);
              }}
            />
          </div>
          {now.lanes.map(({ lane, top, height }) => (
            <div key={lane.thread} class="thread" style={{ top: `${top}px`, height: `${height - GAP}px` }} title={`${lane.name}: ${lane.calls} calls`}>
              <span>
                {lane.name}
                {lane.top > 0 && <small> from level {lane.top}</small>}
              </span>
            </div>
          ))}
        </div>
      </div>
      {hovered.value !== null && <Tip item={hovered.value} at={pointer} now={now} />}
      <p id="timeline-told" class="hidden">
        {description}. Arrows go from call to call, Enter selects, z zooms to it, plus and minus zoom, Shift and arrows move, Home shows all.
      </p>
      <p class="hidden" aria-live="polite">
        {said.value}
      </p>
    </section>
  );

  function jump(event: PointerEvent): void {
    const half = (stretch.to - stretch.from) / 2;
    const middle = (event.offsetX / Math.max(1, strip.current?.clientWidth ?? 1)) * last;
    zoom.value = within(middle - half, middle + half, last) ?? zoom.value;
  }
}

/** The same thing in what is shown now. */
function known({ items }: Layout, item: Item | null): Item | null {
  return item === null ? null : (items.find((one) => one.kind === item.kind && one.from === item.from && one.row === item.row) ?? item);
}

/** Not by an attribute of JSX: those are passive, and a wheel that zooms must not scroll. */
function useWheel(canvas: { current: HTMLCanvasElement | null }, turned: (event: WheelEvent) => boolean): void {
  const latest = useRef(turned);
  latest.current = turned;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const wheel = (event: WheelEvent) => {
      if (latest.current(event)) event.preventDefault();
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, []);
}

const texts = new Map<number, string>();

/** What a thing is, in words; what was thrown or printed is asked for when somebody points at it. */
async function textOf(item: Item, { lanes }: Layout): Promise<string> {
  const thread = lanes[item.lane]?.lane.name ?? "";
  if (item.kind === "flame") {
    const events = item.to - item.from;
    const parts = [item.name, `${events.toLocaleString("en")} event${events === 1 ? "" : "s"}`];
    if (item.library) parts.push("library");
    if (item.threw) parts.push("left by an exception");
    return `${parts.join(", ")}; ${thread}`;
  }
  if (item.kind === "crowd") return `${item.name}; ${thread}. Zoom in to tell them apart`;
  let text = texts.get(item.from);
  if (text === undefined) {
    text = await api.mark(item.from).then(
      (mark) => mark.text,
      () => item.name,
    );
    if (texts.size > 1000) texts.clear();
    texts.set(item.from, text);
  }
  return `${text}${item.count > 1 ? ` and ${item.count - 1} more here` : ""}; ${thread}`;
}

function Tip({ item, at, now }: { item: Item; at: Signal<[number, number]>; now: Layout }) {
  const [x, y] = at.value;
  const text = useLoaded(() => textOf(item, now), [item]).value;
  const side = x > innerWidth / 2 ? { right: `${innerWidth - x + 8}px` } : { left: `${x + 12}px` };
  return (
    <div class="tip" aria-hidden="true" style={{ ...side, bottom: `${innerHeight - y + 10}px` }}>
      {text ?? item.name}
    </div>
  );
}
