// The source of the selected call: the whole file, with the lines that ran, the values on them, the selected event's
// line and the guilty ones. A line leads to the events on it.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import { api } from "../api";
import { useLoaded } from "../load";
import { markOf } from "../marks";
import { select, selection } from "../selection";
import { attempt, report, session, tell, version } from "../state";
import type { Source } from "../wire";
import { Legend } from "./legend";
import { SourceEditor } from "./source/editor";
import { guiltyLines, marksOf, textOf } from "./source/marks";

export function SourcePane() {
  const { call, time } = selection.value;
  /** The call for which all events are to be counted, however many. */
  const counting = useSignal<number | null>(null);
  const all = call !== null && counting.value === call;
  const told = useLoaded(() => (call === null ? null : api.source(call, time, all)), [call, time, all, version.value]);
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<SourceEditor | null>(null);
  const shown = useRef<number | null>(null);
  const now = useRef<Source | null>(null);
  const said = useSignal("");
  const source = told.value;
  now.current = source;
  const found = report.value;
  useLayoutEffect(() => {
    if (box.current === null) return;
    const event = (row: number, back: boolean) => {
      const source = now.current;
      const line = source?.file === null ? source.listing[row - 1]?.bci : row;
      if (source != null && line !== undefined) void toEvent(source.number, line, back);
    };
    editor.current = new SourceEditor(box.current, { event, cursor: (text) => (said.value = text) });
    return () => {
      editor.current?.destroy();
      editor.current = null;
    };
  }, []);
  useLayoutEffect(() => {
    if (source === null) return;
    let gone = false;
    void attempt(() => textOf(source)).then((text) => {
      if (gone || text === null) return;
      editor.current?.show(text, marksOf(source, found, time !== null), shown.current !== source.number);
      shown.current = source.number;
    });
    return () => {
      gone = true;
    };
  }, [source, found]);
  return (
    <section class="pane source" aria-label="Source" aria-busy={told.loading}>
      {source !== null && <Head source={source} all={all} loading={told.loading} count={() => (counting.value = call)} />}
      {told.error !== null && <p class="warn">{told.error}</p>}
      {source === null && !told.loading && told.error === null && (
        <p class="faint note">{call === null ? "No call is selected." : "No code of the program is around this call: there is nothing to show."}</p>
      )}
      <div ref={box} class="editor" hidden={source === null} />
      <p class="hidden" aria-live="polite">
        {said.value}
      </p>
    </section>
  );
}

function Head({ source, all, loading, count }: { source: Source; all: boolean; loading: boolean; count: () => void }) {
  const guilty = guiltyLines(source, report.value);
  const sure = [...guilty].filter(([, kind]) => kind === "guilty").map(([line]) => line);
  const name = source.file?.split("/").pop() ?? source.named ?? "";
  return (
    <header class="crumbs">
      <span class="file" title={source.file ?? undefined}>
        {name}
      </span>
      {source.site !== null && (
        <span class="faint">
          {" "}
          a library was called on line {source.site} of{" "}
          <button class="location" onClick={() => select({ call: source.number, time: null })}>
            {source.call}
          </button>
        </span>
      )}
      {sure.length > 0 && (
        <span class="guilt">
          {markOf("line", "guilty").sign} guilty: {ranges(sure)}
        </span>
      )}
      <Legend of="line" />
      {source.file === null && (
        <p class="note">
          No source{source.named === null ? "" : ` (${source.named})`} was found: this is the bytecode.{" "}
          <code>inquest open {session.value?.recording.path} --source PATH</code> says where sources are.
        </p>
      )}
      {source.suspicious !== null && <p class="warn note">⚠ This may not be what ran: {source.suspicious}.</p>}
      {source.more && (
        <p class="note faint">
          A long call: only its first events were counted.{" "}
          <button class="small" onClick={count} disabled={all}>
            {all && loading ? "counting…" : "Count all"}
          </button>
        </p>
      )}
    </header>
  );
}

/** 3, 4, 5, 9 as 3–5, 9. */
function ranges(lines: number[]): string {
  const sorted = lines.sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const line of sorted) {
    const last = runs[runs.length - 1];
    if (last !== undefined && line <= last[1] + 1) last[1] = line;
    else runs.push([line, line]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/** The next event of a call on a line, or the one before. */
async function toEvent(call: number, line: number, back: boolean): Promise<void> {
  const { time, call: chosen } = selection.value;
  const at = call === chosen ? time : null;
  const found = await attempt(() => api.onLine(call, { line, at, back }));
  if (found === null) return;
  if (found.time !== null) select({ call, time: found.time }, true);
  else if (found.sure) tell(`Nothing that is recorded happened on line ${line} itself in this call.`);
  else tell(`Nothing happened on line ${line} near this event; the call is too long to look through all of it.`);
}
