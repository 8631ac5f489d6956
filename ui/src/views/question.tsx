// The question: what was called with what, what came out, what changed, and every answer as a button and a key. Beside
// it whatever does not go together, and the call that is selected, if that is another.

import { useEffect, useRef } from "preact/hooks";

import { api } from "../api";
import { shown } from "../commands";
import { useLoaded } from "../load";
import { select, selection } from "../selection";
import { elsewhere, question, session } from "../state";
import { ANSWERS, KINDS, STRATEGIES } from "../vocabulary";
import type { AskedQuestion, Session } from "../wire";
import { Answers, Clashes } from "./answers";
import { Button } from "./button";
import { Menu } from "./menu";
import { Glance } from "./glance";
import { Places } from "./places";
import { QuestionFacts } from "./question_facts";
import { Selected } from "./selected";
import { Verdict } from "./verdict";

export function QuestionPanel() {
  const now = session.value;
  if (now === null) {
    return (
      <section class="pane question" aria-label="Question" aria-busy="true">
        <p class="faint empty">Reading the recording…</p>
      </section>
    );
  }
  const asked = question.value;
  return (
    <section class="pane question" aria-label={now.verdict === null ? "Question" : "Verdict"}>
      <div class="inquiry">
        <Clashes />
        {now.verdict !== null ? <Verdict verdict={now.verdict} /> : asked !== null ? <Put asked={asked} now={now} /> : <Nothing now={now} />}
        <Answers />
      </div>
      {asked !== null && <Say />}
      {elsewhere.value && <Selected />}
    </section>
  );
}

function Nothing({ now }: { now: Session }) {
  return <p class="faint empty">Nothing to ask yet{now.live ? ": the program runs, and nothing that could be asked about has ended." : "."}</p>;
}

function Put({ asked, now }: { asked: AskedQuestion; now: Session }) {
  const { why, more } = shown.value;
  const kind = KINDS[asked.kind].told;
  const key = JSON.stringify(asked.subject);
  const last = useRef(key);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // What was opened for one question is not wanted for the next.
    if (last.current === key) return;
    last.current = key;
    shown.value = { ...shown.value, why: false, more: false };
    heading.current?.closest(".inquiry")?.scrollTo({ top: 0 });
  }, [key]);
  const wide = useLoaded(() => (more ? api.question(asked.subject, true) : null), [more, key, now.generation]);
  const told = more && wide.value !== null ? wide.value : asked;
  return (
    <div class="put">
      <header>
        <h2 ref={heading} tabIndex={-1} data-first>
          Is this right?
        </h2>
        {kind !== null && <span class="kind">{kind.asked}</span>}
        <span class="faint">
          {asked.suspects.toLocaleString()} {asked.suspects === 1 ? "possible place left" : "possible places left"}
        </span>
        <span class="gap" />
        <div class="tools">
          <Button id="why" title="Why this?" />
          <Button id="more" title={more ? "Show less" : "Show more"} />
          {now.transforms.length > 0 && <Button id="plain" title={now.plain ? "Group calls" : "Single calls"} />}
          {now.zoomed !== null && <Button id="zoom-out" title="Back to calls" />}
        </div>
      </header>
      <button
        class="subject"
        title="Show this call in all views"
        aria-current={selection.value.call === asked.number ? "true" : undefined}
        onClick={() => select({ call: asked.number, time: null })}
      >
        {told.head}
      </button>
      {why && <Why asked={asked} now={now} />}
      {more && wide.value !== null ? <QuestionFacts told={wide.value} mark /> : <Glance told={asked} />}
      {more && wide.loading && <p class="faint">Looking…</p>}
      {more && wide.error !== null && <p class="warn">{wide.error}</p>}
      {now.note !== null && <p class="note">{now.note}</p>}
      <Places places={asked.places} />
    </div>
  );
}

const TRUST = ANSWERS.filter((row) => row.trusts);
const OTHER = ANSWERS.filter((row) => !row.trusts && row.button !== null);
const MAIN = ANSWERS.filter((row) => !row.trusts && row.button === null);

/** Every answer. In its own place, so that it is there however long the question is. */
function Say() {
  return (
    <div class="say">
        <div class="answers" role="group" aria-label="Answers">
          <div class="main">
            {MAIN.map((row) => (
              <Button key={row.id} id={row.id} />
            ))}
          </div>
          <div class="other">
            {OTHER.map((row) => (
              <Button key={row.id} id={row.id} title={row.button} />
            ))}
            <span class="pair">
              {TRUST.map((row) => row.button !== null && <Button key={row.id} id={row.id} title={row.button} />)}
              <Menu label="Trust more than this method" title="▾">
                {(close) => (
                  <div class="list">
                    {TRUST.map((row) => (
                      <Button key={row.id} id={row.id} done={close} />
                    ))}
                  </div>
                )}
              </Menu>
            </span>
          </div>
        </div>
    </div>
  );
}

/** Why it is asked, and what either answer would leave. */
function Why({ asked, now }: { asked: AskedQuestion; now: Session }) {
  const { if_wrong: wrong, if_right: right, words } = asked.why;
  const lines = words.split("\n");
  const all = (wrong ?? 0) + (right ?? 0);
  return (
    <div class="why" role="note" aria-label="Why this question">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {wrong !== null && right !== null && all > 0 && (
        <div class="shares" aria-hidden="true">
          <span style={{ flexGrow: Math.max(wrong, all / 50) }} class="if-wrong">
            wrong: {wrong.toLocaleString()}
          </span>
          <span style={{ flexGrow: Math.max(right, all / 50) }} class="if-right">
            right: {right.toLocaleString()}
          </span>
        </div>
      )}
      <p class="faint">
        <strong>{now.strategy}</strong>: {STRATEGIES[now.strategy]}
      </p>
    </div>
  );
}
