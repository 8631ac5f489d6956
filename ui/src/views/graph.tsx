// The values of a location over time, where they are numbers: a line that holds each value until the next write. It shows
// where something jumped; the list below says what it was.

import type { Write } from "../wire";

const WIDTH = 600;
const HEIGHT = 64;
const EDGE = 4;
/** How Java writes a number. */
const NUMBER = /^-?\d+(\.\d+)?(E-?\d+)?$/;
/** Dots for single writes, as long as they are apart. */
const DOTS = 120;

interface Props {
  writes: Write[];
  /** The one that holds at the moment that is shown. */
  holds: number;
  choose: (at: number) => void;
}

export function Graph({ writes, holds, choose }: Props) {
  const points = writes.flatMap((write, at) => (NUMBER.test(write.value) ? [{ at, time: write.time, value: Number(write.value) }] : []));
  if (points.length < 2) return null;
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [from, to] = [points[0]?.time ?? 0, points[points.length - 1]?.time ?? 0];
  const x = (time: number) => EDGE + ((time - from) / Math.max(1, to - from)) * (WIDTH - 2 * EDGE);
  const y = (value: number) => HEIGHT - EDGE - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
  const line = points.map(({ time, value }, at) => `${at === 0 ? `M${x(time)}` : `H${x(time)}`}${at === 0 ? "," : "V"}${y(value)}`).join("");
  const now = points.findLast(({ at }) => at <= holds);
  const nearest = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    const found = points.reduce((best, point) => (Math.abs(x(point.time) - at) < Math.abs(x(best.time) - at) ? point : best));
    choose(found.at);
  };
  return (
    <figure class="graph">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${points.length} numbers from ${low} to ${high}, the last ${values[values.length - 1] ?? ""}`}
        onClick={nearest}
      >
        <path d={line} vector-effect="non-scaling-stroke" />
        {now !== undefined && <line class="now" x1={x(now.time)} x2={x(now.time)} y1={0} y2={HEIGHT} vector-effect="non-scaling-stroke" />}
        {points.length <= DOTS &&
          points.map(({ at, time, value }) => <circle key={at} cx={x(time)} cy={y(value)} r={2.5} class={at === now?.at ? "now" : ""} />)}
      </svg>
      <figcaption>
        <span>{high.toLocaleString()}</span>
        <span>{low.toLocaleString()}</span>
      </figcaption>
    </figure>
  );
}
