// What can be set and seldom has to be: colours, and how questions are chosen.

import { busy, choose } from "../state";
import { THEMES, theme } from "../theme";
import { STRATEGIES, type StrategyName, TRANSFORMS, type TransformName } from "../vocabulary";
import type { Session } from "../wire";
import { guide } from "./guide";
import { Menu } from "./menu";

const COLOURS = { system: "as the system has them", light: "light", dark: "dark" };

export function Settings({ now }: { now: Session | null }) {
  return (
    <Menu class="settings" label="Settings: colours, and how questions are chosen" title="Settings ▾">
      {(close) => (
        <>
          <fieldset>
            <legend>Colours</legend>
            <div class="colours">
              {THEMES.map((name) => (
                <label key={name} class="choice">
                  <input type="radio" name="theme" checked={theme.value === name} onChange={() => (theme.value = name)} />
                  <span>{COLOURS[name]}</span>
                </label>
              ))}
            </div>
          </fieldset>
          {now !== null && <Ways now={now} />}
          <button
            class="do"
            onClick={() => {
              guide.value = true;
              close();
            }}
          >
            Show the introduction again
          </button>
        </>
      )}
    </Menu>
  );
}

function Ways({ now }: { now: Session }) {
  const pick = (strategy: StrategyName, transforms: TransformName[], plain: boolean) => void choose(strategy, transforms, plain);
  return (
    <>
      <fieldset disabled={busy.value}>
        <legend>What is asked about together</legend>
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
              <strong>single calls for now</strong> Ask about calls one by one; what is chosen above is kept. <kbd>b</kbd>
            </span>
          </label>
        )}
      </fieldset>
      <fieldset disabled={busy.value}>
        <legend>How the next question is chosen</legend>
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
  );
}
