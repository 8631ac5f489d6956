// Draws the timeline. All colours are the page's variables, resolved when the scheme changes.

import type { Timeline, TimelineCall } from "../../wire";
import { type Item, LEVEL, type Layout, MARKS, type Stretch, across, placeOf } from "./model";

export interface Scene {
  layout: Layout;
  stretch: Stretch;
  width: number;
  height: number;
  /** How far the lanes are scrolled. */
  scrolled: number;
  /** The selected call, moment, and the call that was found guilty. */
  chosen: TimelineCall | null;
  time: number | null;
  guilty: TimelineCall | null;
  /** Under the pointer, under the keyboard's cursor. */
  hovered: Item | null;
  cursor: Item | null;
  /** The range that is being drawn, in pixels. */
  dragged: [number, number] | null;
}

export type Colours = Record<"flame" | "library" | "text" | "faint" | "accent" | "back" | "wrong" | "line" | "chosen" | "pane", string>;

const VARIABLES: Record<keyof Colours, string> = {
  flame: "--flame",
  library: "--flame-library",
  text: "--text",
  faint: "--faint",
  accent: "--accent",
  back: "--back",
  wrong: "--wrong",
  line: "--line",
  chosen: "--chosen",
  pane: "--pane",
};

/** A variable is resolved only where it is used: as an element's own colour. */
export function coloursOf(element: HTMLElement): Colours {
  const before = element.style.color;
  const found = Object.entries(VARIABLES).map(([name, variable]) => {
    element.style.color = `var(${variable})`;
    return [name, getComputedStyle(element).color];
  });
  element.style.color = before;
  return Object.fromEntries(found) as Colours;
}

/** A canvas of a size in pixels of the page, sharp on every screen. Its own size is the stylesheet's. */
function prepared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const scale = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const paint = canvas.getContext("2d");
  paint?.setTransform(scale, 0, 0, scale, 0, 0);
  paint?.clearRect(0, 0, width, height);
  return paint;
}

/** Names that look alike stand beside each other: a shade by the name tells them apart. */
function shade(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) | 0;
  return 0.7 + (Math.abs(sum) % 4) * 0.1;
}

export function draw(canvas: HTMLCanvasElement, scene: Scene, colours: Colours): void {
  const paint = prepared(canvas, scene.width, scene.height);
  if (paint === null) return;
  const { layout, stretch, width, height, scrolled } = scene;
  const x = (time: number) => across(stretch, width, time);
  paint.translate(0, -scrolled);
  paint.font = "11px system-ui, sans-serif";
  paint.textBaseline = "middle";
  const place = scene.chosen === null ? undefined : placeOf(layout, scene.chosen);
  if (scene.chosen !== null && place !== undefined) {
    // The interval that the other views are about.
    paint.fillStyle = colours.chosen;
    const to = scene.time ?? scene.chosen.to;
    paint.fillRect(x(scene.chosen.from), place.lane.top, Math.max(1, x(to + 1) - x(scene.chosen.from)), place.lane.height);
  }
  for (const lane of layout.lanes.slice(1)) {
    paint.fillStyle = colours.line;
    paint.fillRect(0, lane.top - 3, width, 1);
  }
  for (const item of layout.items) {
    const lane = layout.lanes[item.lane];
    if (lane === undefined) continue;
    const [y, end] = [lane.calls + item.row * LEVEL, lane.calls + (item.last + 1) * LEVEL];
    const [left, right] = [Math.max(-1, x(item.from)), Math.min(width + 1, x(item.to))];
    if (end < scrolled || y > scrolled + height || right < 0 || left > width) continue;
    if (item.row === -1) mark(paint, item, (x(item.from) + x(item.to)) / 2, lane.top, colours);
    else if (item.kind === "crowd") crowd(paint, item, left, right, y, end, colours);
    else flame(paint, item, left, right, y, item.call === scene.chosen?.number, colours);
  }
  if (scene.chosen !== null && place !== undefined) outline(paint, scene.chosen, x, place.y, colours.accent, width);
  const guilty = scene.guilty === null ? undefined : placeOf(layout, scene.guilty);
  if (scene.guilty !== null && guilty !== undefined) {
    outline(paint, scene.guilty, x, guilty.y, colours.wrong, width);
    paint.fillStyle = colours.wrong;
    const middle = (Math.max(0, x(scene.guilty.from)) + Math.min(width, x(scene.guilty.to + 1))) / 2;
    paint.beginPath();
    paint.arc(middle, guilty.y + LEVEL + 3.5, 3, 0, 7);
    paint.fill();
  }
  for (const [item, colour] of [[scene.hovered, colours.faint], [scene.cursor, colours.text]] as const) {
    const lane = item === null ? undefined : layout.lanes[item.lane];
    if (item === null || lane === undefined) continue;
    paint.strokeStyle = colour;
    paint.lineWidth = item === scene.cursor ? 2 : 1;
    const top = item.row === -1 ? lane.top : lane.calls + item.row * LEVEL;
    const high = item.row === -1 ? MARKS : (item.last - item.row + 1) * LEVEL;
    const [left, right] = [Math.max(0, x(item.from)), Math.min(width, x(item.to))];
    const wide = Math.max(6, right - left);
    paint.strokeRect((left + right) / 2 - wide / 2, top + 0.5, wide, high - 2);
  }
  paint.setTransform(devicePixelRatio || 1, 0, 0, devicePixelRatio || 1, 0, 0);
  if (scene.time !== null) {
    const at = Math.round(x(scene.time + 0.5));
    paint.fillStyle = colours.accent;
    paint.fillRect(at, 0, 1.5, height);
    paint.beginPath();
    paint.moveTo(at - 4, 0);
    paint.lineTo(at + 5, 0);
    paint.lineTo(at + 0.5, 6);
    paint.fill();
  }
  if (scene.dragged !== null) {
    const [from, to] = [Math.min(...scene.dragged), Math.max(...scene.dragged)];
    paint.globalAlpha = 0.25;
    paint.fillStyle = colours.accent;
    paint.fillRect(from, 0, to - from, height);
    paint.globalAlpha = 1;
  }
}

function flame(paint: CanvasRenderingContext2D, item: Item, left: number, right: number, y: number, chosen: boolean, colours: Colours): void {
  const wide = Math.max(1, right - left - 0.75);
  paint.globalAlpha = chosen ? 1 : shade(item.name);
  paint.fillStyle = chosen ? colours.accent : item.library ? colours.library : colours.flame;
  paint.fillRect(left, y, wide, LEVEL - 1);
  paint.globalAlpha = 1;
  if (item.threw && wide > 3) {
    paint.fillStyle = colours.wrong;
    paint.fillRect(left + wide - 2, y, 2, LEVEL - 1);
  }
  const room = Math.min(wide, right - Math.max(0, left)) - 6;
  if (room < 14) return;
  paint.save();
  paint.beginPath();
  paint.rect(left, y, wide - 2, LEVEL);
  paint.clip();
  paint.fillStyle = chosen ? colours.back : colours.text;
  // The method's own name is worth more than its class's.
  paint.fillText(paint.measureText(item.name).width <= room ? item.name : item.short, Math.max(0, left) + 3, y + LEVEL / 2);
  paint.restore();
}

/** A hatched block, the denser the more calls there are. */
function crowd(paint: CanvasRenderingContext2D, item: Item, left: number, right: number, y: number, end: number, colours: Colours): void {
  paint.globalAlpha = Math.min(0.85, 0.25 + Math.log10(item.count) * 0.12);
  paint.fillStyle = colours.faint;
  const wide = Math.max(1, right - left);
  for (let row = y; row < end; row += LEVEL) {
    for (let line = row; line < row + LEVEL - 1; line += 3) paint.fillRect(left, line, wide, 2);
  }
  paint.globalAlpha = 1;
}

/** Exceptions are triangles, output is squares. */
function mark(paint: CanvasRenderingContext2D, item: Item, x: number, top: number, colours: Colours): void {
  if (item.kind === "output") {
    paint.fillStyle = colours.faint;
    paint.fillRect(x - 2.5, top + 4, 5, 5);
    return;
  }
  paint.fillStyle = colours.wrong;
  paint.beginPath();
  paint.moveTo(x - 4.5, top + 10);
  paint.lineTo(x + 4.5, top + 10);
  paint.lineTo(x, top + 2);
  paint.fill();
}

function outline(paint: CanvasRenderingContext2D, spot: TimelineCall, x: (time: number) => number, y: number, colour: string, width: number): void {
  const [left, right] = [Math.max(-2, x(spot.from)), Math.min(width + 2, x(spot.to + 1))];
  if (right < 0 || left > width) return;
  paint.strokeStyle = colour;
  paint.lineWidth = 2;
  paint.strokeRect(left, y, Math.max(2, right - left - 0.75), LEVEL - 1);
}

/** The whole run in a strip, and which part of it is shown. */
export function drawOverview(canvas: HTMLCanvasElement, told: Timeline, shown: Stretch, width: number, height: number, colours: Colours): void {
  const paint = prepared(canvas, width, height);
  if (paint === null) return;
  const x = (time: number) => across(told, width, time);
  const share = height / Math.max(1, told.threads.length);
  told.threads.forEach((lane, at) => {
    const rows = Math.max(8, ...lane.flames.map((flame) => flame.level - lane.top + 1));
    const step = Math.max(0.5, share / Math.min(24, rows));
    paint.fillStyle = colours.flame;
    for (const { from, to, level } of lane.flames) {
      paint.fillRect(x(from), at * share + (level - lane.top) * step, Math.max(0.5, x(to) - x(from)), step);
    }
    paint.globalAlpha = 0.4;
    paint.fillStyle = colours.faint;
    for (const { from, to, level, deepest } of lane.crowds) {
      paint.fillRect(x(from), at * share + (level - lane.top) * step, Math.max(0.5, x(to) - x(from)), (deepest - level + 1) * step);
    }
    paint.globalAlpha = 1;
  });
  const [left, right] = [x(shown.from), Math.max(x(shown.to + 1), x(shown.from) + 3)];
  paint.globalAlpha = 0.6;
  paint.fillStyle = colours.pane;
  paint.fillRect(0, 0, left, height);
  paint.fillRect(right, 0, width - right, height);
  paint.globalAlpha = 1;
  paint.strokeStyle = colours.accent;
  paint.lineWidth = 2;
  paint.strokeRect(left, 1, right - left, height - 2);
}
