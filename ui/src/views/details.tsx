// The linked views of the selected call, and where the call is.

import { api } from "../api";
import { useLoaded } from "../load";
import { TABS, type Tab, select, selection } from "../selection";
import { balloons, missing, version } from "../state";
import { Events } from "./events";
import { History } from "./history";
import { Missing } from "./missing";
import { Origin } from "./origin";
import { State } from "./state/view";

export function Details() {
  const { tab, call } = selection.value;
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const at = TABS.findIndex(({ id }) => id === tab);
    const next = TABS[(at + by + TABS.length) % TABS.length];
    if (next !== undefined) {
      select({ tab: next.id });
      document.getElementById(`tab-${next.id}`)?.focus();
    }
    event.stopPropagation();
  };
  return (
    <section class="pane details" aria-label="The selected call">
      <Crumbs />
      <div role="tablist" aria-label="Views" onKeyDown={move}>
        {TABS.map(({ id, title }) => (
          <button
            role="tab"
            id={`tab-${id}`}
            aria-selected={tab === id}
            aria-controls="view"
            tabIndex={tab === id ? 0 : -1}
            onClick={() => select({ tab: id })}
          >
            {title}
            {id === "missing" && missing.value !== null && ` (${balloons.value.length})`}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="view" aria-labelledby={`tab-${tab}`} tabIndex={0} class="view">
        {call === null && tab !== "missing" ? <p class="faint">Select a call.</p> : <View tab={tab} call={call ?? 0} />}
      </div>
    </section>
  );
}

function View({ tab, call }: { tab: Tab; call: number }) {
  switch (tab) {
    case "state":
      return <State call={call} />;
    case "events":
      return <Events call={call} />;
    case "history":
      return <History />;
    case "origin":
      return <Origin />;
    case "missing":
      return <Missing />;
  }
}

const ENDINGS = { returned: "returned", threw: "left by an exception", open: "has not ended" };

/** The call, what is around it, and how it ended. */
function Crumbs() {
  const { call, time } = selection.value;
  const shown = useLoaded(() => (call === null ? null : api.call(call)), [call, version.value]).value;
  if (shown === null || call === null) return <header class="crumbs" />;
  const changes = `${shown.changes.toLocaleString()}${shown.more ? "+" : ""}`;
  return (
    <header class="crumbs">
      <nav aria-label="Calls around it">
        {shown.path.map((around, at) => (
          <>
            {at === shown.outer && shown.skipped > 0 && (
              <span class="faint" title="The tree shows them all">
                … {shown.skipped.toLocaleString()} calls ›{" "}
              </span>
            )}
            <button class="location" onClick={() => select({ call: around.number })}>
              {around.call}
            </button>
            <span class="faint"> › </span>
          </>
        ))}
        <strong>{shown.call}</strong>
      </nav>
      <div class="facts faint">
        <span title="The thread that it ran in">{shown.thread_name}</span>
        <span class={shown.ending === "threw" ? "warn" : ""}>{ENDINGS[shown.ending]}</span>
        <span title="Locations of fields, statics and arrays that hold another value after it">
          {shown.changes === 0 && shown.more ? "many changes" : `${changes} ${changes === "1" ? "change" : "changes"}`}
        </span>
        {time === null ? (
          <span>whole call</span>
        ) : (
          <span>
            up to event {time}
            <button class="small" onClick={() => select({ time: null })}>
              whole call
            </button>
          </span>
        )}
      </div>
    </header>
  );
}
