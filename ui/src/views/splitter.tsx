// The line between two panes: moved with the mouse, a finger or the arrow keys, and a button that folds a pane away.

import type { JSX } from "preact";

import { type Pane, fold, isFolded, resize, sizeOf } from "../panes";

/** Shares by which an arrow key moves it. */
const STEP = 2;

interface Props {
  pane: Pane;
  /** On which side of the line the pane is. */
  side: "left" | "right" | "above" | "below";
}

export function Splitter({ pane, side }: Props) {
  const upright = side === "left" || side === "right";
  const folded = isFolded(pane.id);
  const size = sizeOf(pane);
  const drag = (event: JSX.TargetedPointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const line = event.currentTarget;
    const box = line.closest("[data-box]")?.getBoundingClientRect();
    if (box === undefined) return;
    event.preventDefault();
    line.focus();
    line.setPointerCapture(event.pointerId);
    const move = (at: PointerEvent) => {
      const share = upright ? (at.clientX - box.left) / box.width : (at.clientY - box.top) / box.height;
      resize(pane, 100 * (side === "left" || side === "above" ? share : 1 - share));
    };
    const end = () => {
      line.removeEventListener("pointermove", move);
      line.removeEventListener("pointerup", end);
      line.removeEventListener("pointercancel", end);
    };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
    line.addEventListener("pointercancel", end);
  };
  const keys = (event: KeyboardEvent) => {
    const [less, more] = upright ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const grows = side === "left" || side === "above" ? 1 : -1;
    if (event.key === less) resize(pane, size - STEP * grows);
    else if (event.key === more) resize(pane, size + STEP * grows);
    else if (event.key === "Home") resize(pane, pane.least);
    else if (event.key === "End") resize(pane, pane.most);
    else if (event.key === "Enter") fold(pane.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const towards = { left: ["◂", "▸"], right: ["▸", "◂"], above: ["▴", "▾"], below: ["▾", "▴"] }[side];
  return (
    <div class={`split ${upright ? "upright" : "level"}`}>
      <div
        role="separator"
        tabIndex={0}
        aria-label={`Size of the pane ${pane.title}`}
        aria-orientation={upright ? "vertical" : "horizontal"}
        aria-controls={`pane-${pane.id}`}
        aria-valuemin={pane.least}
        aria-valuemax={pane.most}
        aria-valuenow={Math.round(folded ? pane.least : size)}
        aria-valuetext={folded ? "hidden" : `${Math.round(size)} percent`}
        onPointerDown={drag}
        onKeyDown={keys}
        onDblClick={() => resize(pane, pane.size)}
      />
      <button
        class="fold"
        aria-expanded={!folded}
        aria-controls={`pane-${pane.id}`}
        aria-label={`${folded ? "Show" : "Hide"} the pane ${pane.title}`}
        title={`${folded ? "Show" : "Hide"}: ${pane.title}`}
        onClick={() => fold(pane.id)}
      >
        {folded ? towards[1] : towards[0]}
      </button>
    </div>
  );
}
