// Where the panes are: three columns over the timeline with lines that can be moved; in a narrow window the question,
// and below it one other pane at a time.

import type { ComponentChildren } from "preact";

import { PANES, type Pane, type PaneId, behind, front, isFolded, narrow, sizeOf } from "./panes";
import { Details } from "./views/details";
import { QuestionPanel } from "./views/question";
import { SourcePane } from "./views/source";
import { Splitter } from "./views/splitter";
import { Timeline } from "./views/timeline";
import { Tree } from "./views/tree";

const pane = (id: PaneId): Pane => PANES.find((one) => one.id === id) as Pane;

export function Layout() {
  return narrow.value ? <Narrow /> : <Wide />;
}

function Slot({ id, children }: { id: PaneId; children: ComponentChildren }) {
  return (
    <div id={`pane-${id}`} class={`slot slot-${id}`} hidden={!narrow.value && isFolded(id)}>
      {children}
    </div>
  );
}

function Wide() {
  const track = (id: PaneId) => (isFolded(id) ? "0px" : `${sizeOf(pane(id))}%`);
  return (
    <main
      class="wide"
      data-box
      style={{
        "--tree": track("tree"),
        "--source": track("source"),
        "--question": track("question"),
        "--timeline": track("timeline"),
      }}
    >
      <div class="columns" data-box>
        <Slot id="tree">
          <Tree />
        </Slot>
        <Splitter pane={pane("tree")} side="left" />
        <div class="middle" data-box>
          <Slot id="question">
            <QuestionPanel />
          </Slot>
          <Splitter pane={pane("question")} side="above" />
          <Slot id="details">
            <Details />
          </Slot>
        </div>
        <Splitter pane={pane("source")} side="right" />
        <Slot id="source">
          <SourcePane />
        </Slot>
      </div>
      <Splitter pane={pane("timeline")} side="below" />
      <Slot id="timeline">
        <Timeline />
      </Slot>
    </main>
  );
}

const TITLES: Record<PaneId, string> = {
  tree: "Tree",
  question: "Question",
  details: "Call",
  source: "Source",
  timeline: "Timeline",
};

function Narrow() {
  return (
    <main class="narrow">
      <Slot id="question">
        <QuestionPanel />
      </Slot>
      <div class="fronts" role="group" aria-label="Panes">
        {behind.value.map((id) => (
          <button key={id} aria-pressed={front.value === id} onClick={() => (front.value = id)}>
            {TITLES[id]}
          </button>
        ))}
      </div>
      <div class="front">
        <Slot id={front.value} key={front.value}>
          {front.value === "tree" && <Tree />}
          {front.value === "details" && <Details />}
          {front.value === "source" && <SourcePane />}
          {front.value === "timeline" && <Timeline />}
        </Slot>
      </div>
    </main>
  );
}
