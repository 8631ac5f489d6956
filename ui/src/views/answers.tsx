// The answers given so far: who gave them, a way to each call, and a way to change one's mind. And those that do not
// go together.

import { shown } from "../commands";
import { select } from "../selection";
import { busy, callOf, judge, session } from "../state";
import { ANSWERS } from "../vocabulary";
import type { GivenAnswer } from "../wire";
import { Button } from "./button";
import { Menu } from "./menu";

const MARKS: Record<string, string> = Object.fromEntries(ANSWERS.map(({ letter, mark }) => [letter, mark]));

/** What can be said instead: nothing has to be said with it. */
const INSTEAD: [string, string][] = [
  ...ANSWERS.filter((row) => row.takes === null && !row.trusts).map((row): [string, string] => [row.letter, row.statement ?? row.title]),
  ["back", "Take it back"],
];

const again = (given: GivenAnswer, answer: string) => {
  if (!busy.value) void judge(given.subject, { answer, instead: true });
};

export function Answers() {
  const now = session.value;
  if (now === null || now.answered === 0) return null;
  const hidden = now.answered - now.answers.length;
  const others = now.answered - now.asked;
  return (
    <details
      class="given"
      open={shown.value.answers}
      onToggle={(event) => {
        if (event.currentTarget.open !== shown.value.answers) shown.value = { ...shown.value, answers: event.currentTarget.open };
      }}
    >
      <summary>
        {now.asked} {now.asked === 1 ? "answer" : "answers"} by you{others > 0 && `, ${others.toLocaleString()} by others`}
        <kbd aria-hidden="true">a</kbd>
      </summary>
      {hidden > 0 && <p class="note">The first {hidden.toLocaleString()} are not listed.</p>}
      <ol>
        {[...now.answers].reverse().map((given) => (
          <Row key={`${JSON.stringify(given.subject)}${given.at}`} given={given} />
        ))}
      </ol>
    </details>
  );
}

function Row({ given }: { given: GivenAnswer }) {
  return (
    <li class={`answer-${given.answer}`}>
      <span class="status" aria-hidden="true">
        {MARKS[given.answer] ?? "?"}
      </span>
      <button class="location" onClick={() => select({ call: callOf(given.subject), time: null })}>
        {given.call}
      </button>
      <span class="words">
        {given.words}
        {given.by !== "user" && <span class="faint">, by {given.by_words}</span>}
      </span>
      <Menu label={`Change the answer about ${given.call}`} title="Change ▾">
        {(close) => (
          <div class="list">
            {INSTEAD.filter(([letter]) => letter !== given.answer).map(([letter, words]) => (
              <button
                key={letter}
                class="do"
                onClick={() => {
                  close();
                  again(given, letter);
                }}
              >
                {words}
              </button>
            ))}
          </div>
        )}
      </Menu>
    </li>
  );
}

export function Clashes() {
  const list = session.value?.contradictions ?? [];
  if (list.length === 0) return null;
  return (
    <div class="clashes" role="group" aria-label="Answers that do not go together">
      {list.map((clash, at) => (
        <div key={at}>
          <p>
            <strong>These answers do not go together:</strong> {clash.why}. Look at them again.
          </p>
          <ul>
            {clash.answers.map((given) => (
              <li key={JSON.stringify(given.subject) + given.at}>
                <button class="location" onClick={() => select({ call: callOf(given.subject), time: null })}>
                  {given.call}
                </button>{" "}
                {given.words} <span class="faint">({given.by_words})</span>{" "}
                <button class="small" aria-label={`Take back the answer about ${given.call}`} onClick={() => again(given, "back")}>
                  take back
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <Button id="undo" title="Undo the last answer" />
    </div>
  );
}
