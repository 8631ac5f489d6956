// What stands at the top: which recording, how far it is, and the way to everything else.

import { command } from "../commands";
import { callOf, session } from "../state";
import { select } from "../selection";
import type { Session } from "../wire";
import { Button } from "./button";
import { Menu } from "./menu";
import { Settings } from "./settings";

export function Bar() {
  const now = session.value;
  return (
    <header class="bar">
      <h1>Inquest</h1>
      {now === null ? (
        <span class="faint">Reading the recording…</span>
      ) : (
        <>
          <Recording now={now} />
          <Progress now={now} />
        </>
      )}
      <span class="gap" />
      {now !== null && (
        <>
          <Button id="undo" />
          <Button id="redo" />
        </>
      )}
      <button class="do" data-command="palette" title={command("palette").title} onClick={() => void command("palette").run()}>
        Search… <kbd aria-hidden="true">Ctrl+K</kbd>
      </button>
      <Settings now={now} />
      <button class="do" aria-label="Help: signs and keys" title="What the signs mean, and all keys (?)" onClick={() => void command("help").run()}>
        Help <kbd aria-hidden="true">?</kbd>
      </button>
    </header>
  );
}

function Recording({ now }: { now: Session }) {
  const { recording } = now;
  const symptom = callOf(now.symptom.subject);
  return (
    <Menu
      class="recording"
      label={`Recording ${now.recording.name}`}
      title={
        <>
          <span class="name">{now.recording.name}</span>
          {now.live && <em class="live">running</em>}
          {recording.looked_at !== null && <em class="live">indexing</em>} <span aria-hidden="true">▾</span>
        </>
      }
    >
      {(close) => (
        <dl class="facts">
          <dt>recording</dt>
          <dd>
            <code>{recording.path}</code>
          </dd>
          <dt>command</dt>
          <dd>
            <code>{recording.command.join(" ")}</code>
          </dd>
          <dt>ended</dt>
          <dd>{now.live ? "still running" : recording.exit === null ? "not known" : `exit code ${recording.exit}`}</dd>
          <dt>holds</dt>
          <dd>
            {recording.calls.toLocaleString()} calls, {recording.events.toLocaleString()} events, {recording.threads}{" "}
            {recording.threads === 1 ? "thread" : "threads"}
          </dd>
          <dt>the search began at</dt>
          <dd>
            <button
              class="location"
              onClick={() => {
                select({ call: symptom, time: null });
                close();
              }}
            >
              {now.symptom.call}
            </button>
            , {now.symptom_why}
          </dd>
          {recording.looked_at !== null && (
            <>
              <dt>looked at</dt>
              <dd class="warn">
                {(recording.looked_at / 10).toFixed(1)} % of the run, where something failed; the rest is being indexed, and numbers behind # will change
              </dd>
            </>
          )}
          {recording.damaged > 0 && (
            <>
              <dt>damaged</dt>
              <dd class="warn">{recording.damaged} parts of the recording cannot be read</dd>
            </>
          )}
          {now.forgets !== null && (
            <>
              <dt>answers</dt>
              <dd class="warn">{now.forgets}</dd>
            </>
          )}
        </dl>
      )}
    </Menu>
  );
}

function Progress({ now }: { now: Session }) {
  const left = now.question === null ? 0 : (now.question.at_least + Math.min(now.question.at_most, 4 * now.question.at_least)) / 2;
  const words = now.question === null ? `${now.asked} answered` : `${now.asked} answered, ${now.question.left}`;
  return (
    <div class="progress">
      <progress aria-label="Questions answered of those expected" max={Math.max(1, now.asked + left)} value={now.verdict !== null && now.question === null ? Math.max(1, now.asked) : now.asked} />
      <span class="faint">{words}</span>
    </div>
  );
}
