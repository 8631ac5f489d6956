// For somebody who sees this for the first time: what happens here, in three sentences. It goes with the first answer.

import { effect, signal } from "@preact/signals";

import { keep, kept } from "../kept";
import { session } from "../state";

const name = "introduced";

export const guide = signal(kept(name) === null);

effect(() => {
  if (!guide.value) keep(name, "yes");
});
// Whoever has answered knows.
effect(() => {
  if ((session.value?.asked ?? 0) > 0) guide.value = false;
});

export function Guide() {
  if (!guide.value || session.value === null) return null;
  return (
    <aside class="guide" aria-label="Introduction">
      <p>
        <strong>The run is recorded; nothing runs any more.</strong> You are shown what a call was given and what it did. Say
        whether that is <em>right</em> <kbd>y</kbd> or <em>wrong</em> <kbd>n</kbd>: each answer clears a part of the program, until
        the faulty lines are left. <em>Don't know</em> <kbd>d</kbd> is an answer too, and <kbd>u</kbd> takes one back. Clicking
        on calls, values and lines only looks: it answers nothing.
      </p>
      <button class="small" onClick={() => (guide.value = false)}>
        Got it
      </button>
    </aside>
  );
}
