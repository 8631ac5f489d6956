// One row: how it is judged, what it stands for, the call with arguments and result, and what is folded in it.

import { markOf } from "../../marks";
import { select, selection } from "../../selection";
import { question } from "../../state";
import { KINDS } from "../../vocabulary";
import type { TreeRow } from "../../wire";
import { toggle } from "./keys";
import { openMenu } from "./menu";
import { active, change, filter, first, height, near, show } from "./rows";

/** Levels that are indented in full; deeper ones less, or there would be no room for words. */
const FULL = 10;
const indent = (level: number) => Math.min(level, FULL) * 14 + Math.max(0, level - FULL) * 3;

export function Row({ rank, row }: { rank: number; row: TreeRow | undefined }) {
  if (row === undefined) {
    const inSight = first.value - 1 < rank && rank < first.value + height.value;
    return <div class={inSight ? "row blank" : "row"} role="row" aria-rowindex={rank + 1} id={`row-${rank}`} />;
  }
  // Colour alone tells nothing.
  const { sign, means: meaning } = markOf("call", row.status);
  const kind = KINDS[row.kind].told;
  const asked = question.value !== null && JSON.stringify(question.value.subject) === JSON.stringify(row.subject);
  const chosen = active.value === rank && (selection.value.call === row.number || near.value !== "here");
  const classes = ["row", row.status, row.trusted && "library", asked && "asked", chosen && "chosen", active.value === rank && "active"];
  return (
    <div
      class={classes.filter(Boolean).join(" ")}
      id={`row-${rank}`}
      role="row"
      aria-level={row.level + 1}
      aria-posinset={row.place + 1}
      aria-setsize={row.siblings}
      aria-expanded={row.expandable ? row.expanded : undefined}
      aria-selected={chosen}
      aria-rowindex={rank + 1}
      // What is put together from pieces here would be read with gaps between them.
      aria-label={[`${meaning}${asked ? ", asked now" : ""}:`, kind?.badge, textOf(row)].filter(Boolean).join(" ")}
      title={`${textOf(row)}\n${meaning}${asked ? ", asked now" : ""}`}
      onClick={() => {
        active.value = rank;
        near.value = "here";
        if (row.number !== null) select({ call: row.number });
      }}
      onDblClick={() => toggle(rank)}
      onContextMenu={(event) => {
        event.preventDefault();
        openMenu(rank, event);
      }}
    >
      <span role="gridcell" class="cell" style={{ paddingLeft: `min(${indent(row.level)}px, 45%)` }}>
        <button
          class="twist"
          tabIndex={-1}
          aria-label={row.expanded ? "Fold" : "Unfold"}
          disabled={!row.expandable}
          onClick={(event) => {
            event.stopPropagation();
            toggle(rank);
          }}
        >
          {row.expandable ? (row.expanded ? "▾" : "▸") : ""}
        </button>
        <span class="status" role="img" aria-label={meaning}>
          {sign}
        </span>
        {asked && <span class="now">asked</span>}
        {kind !== null && (
          <span class="kind" title={kind.meaning}>
            {kind.badge}
          </span>
        )}
        <Words row={row} />
        {row.left_out > 0 && filter.value.text === "" && <LeftOut row={row} />}
        {row.marks > 0 && <Balloon row={row} />}
        <button
          class="more"
          tabIndex={-1}
          aria-label="What to do with this row"
          aria-haspopup="menu"
          onClick={(event) => {
            event.stopPropagation();
            openMenu(rank, event);
          }}
          onDblClick={(event) => event.stopPropagation()}
        >
          ⋯
        </button>
      </span>
    </div>
  );
}

/** What a row says, on one line. */
function textOf({ caption, call }: TreeRow): string {
  if ("words" in caption) return caption.words || call;
  return `${call}${caption.call.args} ${caption.call.end}`.trimEnd();
}

/** The name first and whole as long as it fits; then the result, then the arguments. */
function Words({ row }: { row: TreeRow }) {
  if ("words" in row.caption) {
    return (
      <span class="words">
        <span>{row.caption.words || row.call}</span>
      </span>
    );
  }
  const { class: owner, name, nth, args, end } = row.caption.call;
  return (
    <span class="words">
      <span class="name">
        <span class="owner">{owner}.</span>
        <span class="method">{name}</span>
        <span class="number">#{nth}</span>
      </span>
      <span class="args">{args}</span>
      {end !== "" && <span class="end"> {end}</span>}
    </span>
  );
}

function LeftOut({ row }: { row: TreeRow }) {
  const many = row.left_out.toLocaleString();
  return (
    <button
      class="left-out"
      tabIndex={-1}
      title={`${many} calls into libraries in it are folded: show them`}
      onClick={async (event) => {
        event.stopPropagation();
        await show({ program: false });
        if (row.subject !== null) await change({ act: "expand", subject: row.subject });
      }}
    >
      +{many}
    </button>
  );
}

function Balloon({ row }: { row: TreeRow }) {
  const many = row.marks === 1 ? "Something" : `${row.marks} things`;
  return (
    <button
      class="balloon"
      tabIndex={-1}
      title={`${many} could have happened here and did not${row.expandable && !row.expanded ? " (here, or in what is folded)" : ""}`}
      onClick={(event) => {
        event.stopPropagation();
        select({ call: row.number, tab: "missing" });
      }}
    >
      {row.marks} missing
    </button>
  );
}
