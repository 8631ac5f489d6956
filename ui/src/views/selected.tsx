// The selected call, where it is not the one that is asked about: in the same form, to be judged by hand.

import { useSignal } from "@preact/signals";

import { SAYS } from "../ahead";
import { api } from "../api";
import { command, sayMore } from "../commands";
import { useLoaded } from "../load";
import { selection } from "../selection";
import { busy, judge, question, report, session, version } from "../state";
import { ANSWERS } from "../vocabulary";
import type { AskableQuestion } from "../wire";
import { Menu } from "./menu";
import { QuestionFacts } from "./question_facts";

export function Selected() {
  const call = selection.value.call;
  const told = useLoaded(() => (call === null ? null : api.question({ call: { number: call } }, false)), [call, version.value]);
  const open = useSignal(false);
  const value = told.value;
  if (told.error !== null) return null;
  const back = question.value !== null ? "Back to the question" : report.value !== null ? "Back to what was found" : null;
  return (
    <section class="selected" aria-label="The selected call, judged by hand" aria-busy={told.loading}>
      <header>
        <button class="twist" aria-expanded={open.value} aria-label="Show its values" onClick={() => (open.value = !open.value)}>
          {open.value ? "▾" : "▸"}
        </button>
        <h3>Not asked, but selected</h3>
        <span class="gap" />
        {back !== null && (
          <button class="do" data-command="to-question" onClick={() => void command("to-question").run()}>
            {back} <kbd aria-hidden="true">q</kbd>
          </button>
        )}
      </header>
      {value !== null && (
        <>
          <p class="text">{value.text}</p>
          {open.value && <QuestionFacts told={value} mark={!value.trusted} />}
          {value.trusted ? (
            <p class="note">A library's call: it is trusted, and not judged.</p>
          ) : !value.finished ? (
            <p class="note">It has not ended, so it cannot be judged yet.</p>
          ) : (
            <Judge told={value} />
          )}
        </>
      )}
    </section>
  );
}

/** Says something about a call that nobody asked about. */
function Judge({ told }: { told: AskableQuestion }) {
  const subject = JSON.stringify(told.subject);
  const before = session.value?.answers.find((given) => JSON.stringify(given.subject) === subject);
  const instead = before !== undefined;
  const say = (answer: string) => {
    if (!busy.value) void judge(told.subject, { answer, instead });
  };
  return (
    <div class="answers" role="group" aria-label="Judge this call">
      {before !== undefined && (
        <span class="faint">
          So far: {before.words} ({before.by_words})
        </span>
      )}
      <div class="main">
        {ANSWERS.filter((row) => row.statement !== null).map((row) => (
          <button key={row.id} class={`do ${row.id}`} {...SAYS} onClick={() => say(row.letter)}>
            {row.statement}
          </button>
        ))}
      </div>
      <div class="other">
        <Menu label="Say something else about this call" title="Else ▾">
          {(close) => {
            const then = (act: () => void) => () => {
              close();
              act();
            };
            return (
              <div class="list">
                {ANSWERS.filter((row) => row.statement === null).map((row) => (
                  <button key={row.id} class="do" {...SAYS} onClick={then(() => (row.takes === null ? say(row.letter) : sayMore(told, row, instead)))}>
                    {row.title}
                  </button>
                ))}
                {instead && (
                  <button class="do" {...SAYS} onClick={then(() => say("back"))}>
                    Take back what was said
                  </button>
                )}
              </div>
            );
          }}
        </Menu>
      </div>
    </div>
  );
}
