// What stands at the top: which recording, how questions are chosen, how far it is, and the way to everything else.

import { command } from "../commands";
import { busy, callOf, choose, session } from "../state";
import { select } from "../selection";
import { nextTheme, theme } from "../theme";
import { STRATEGIES, type StrategyName, TRANSFORMS, type TransformName } from "../vocabulary";
import type { Session } from "../wire";
import { Button } from "./button";
import { Menu } from "./menu";
import { Symptoms } from "./symptoms";

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
          <Symptoms now={now} />
          <Ways now={now} />
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
        Go to… <kbd aria-hidden="true">Ctrl+K</kbd>
      </button>
      <button
        class="do icon"
        aria-label={`Colours: ${theme.value}. Change`}
        title={`Colours: ${theme.value === "system" ? "as the system has them" : theme.value}`}
        onClick={nextTheme}
      >
        {{ system: "◐", light: "☀", dark: "☾" }[theme.value]}
      </button>
      <button class="do icon" aria-label="Keyboard overview" title="Keyboard overview (?)" onClick={() => void command("help").run()}>
        ?
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
          {now.live && <em class="live">running</em>} <span aria-hidden="true">▾</span>
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
          <dt>search began at</dt>
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

function Ways({ now }: { now: Session }) {
  const pick = (strategy: StrategyName, transforms: TransformName[], plain: boolean) => void choose(strategy, transforms, plain);
  const used = now.plain ? [] : now.transforms;
  return (
    <Menu
      class="ways"
      label={`How questions are chosen: ${[now.strategy, ...used].join(", ")}`}
      title={
        <>
          <span class="name">{[now.strategy, ...used].join(" + ")}</span> <span aria-hidden="true">▾</span>
        </>
      }
    >
      {() => (
        <>
          <fieldset disabled={busy.value}>
            <legend>The tree</legend>
            {(Object.keys(TRANSFORMS) as TransformName[]).map((name) => (
              <label key={name} class="choice">
                <input
                  type="checkbox"
                  checked={now.transforms.includes(name)}
                  onChange={(event) => {
                    const others = now.transforms.filter((other) => other !== name);
                    pick(now.strategy, event.currentTarget.checked ? [...others, name] : others, false);
                  }}
                />
                <span>
                  <strong>{name}</strong> {TRANSFORMS[name]}
                </span>
              </label>
            ))}
            {now.transforms.length > 0 && (
              <label class="choice">
                <input
                  type="checkbox"
                  checked={now.plain}
                  onChange={(event) => pick(now.strategy, now.transforms, event.currentTarget.checked)}
                />
                <span>
                  <strong>plain for now</strong> Ask about calls as they are; what is chosen above is kept. <kbd>b</kbd>
                </span>
              </label>
            )}
          </fieldset>
          <fieldset disabled={busy.value}>
            <legend>The next question</legend>
            {(Object.keys(STRATEGIES) as StrategyName[]).map((name) => (
              <label key={name} class="choice">
                <input
                  type="radio"
                  name="strategy"
                  checked={now.strategy === name}
                  onChange={() => pick(name, now.transforms, now.plain)}
                />
                <span>
                  <strong>{name}</strong> {STRATEGIES[name]}
                </span>
              </label>
            ))}
          </fieldset>
        </>
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
