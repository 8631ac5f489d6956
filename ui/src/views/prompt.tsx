// A small window that asks for a word or two. It stays until what was typed is taken, so that nothing has to be typed
// twice.

import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import { expect, taken } from "../ahead";
import { type Prompt as Wanted, prompt } from "../commands";
import { notice } from "../state";
import { Dialog } from "./dialog";

const asking = signal<Wanted | null>(null);

prompt.ask = (wanted) => {
  expect();
  asking.value = wanted;
};

export function Prompt() {
  return asking.value === null ? null : <Ask wanted={asking.value} />;
}

function Ask({ wanted }: { wanted: Wanted }) {
  const text = useSignal(wanted.start ?? "");
  const refused = useSignal<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const close = () => (asking.value = null);
  useLayoutEffect(() => {
    const early = taken();
    if (early !== "") text.value = early;
    else input.current?.select();
  }, []);
  const send = async () => {
    const given = text.value.trim();
    if (given === "") return;
    if (await wanted.accept(given)) return close();
    refused.value = notice.value?.text ?? "That was not taken.";
    notice.value = null;
    input.current?.focus();
  };
  return (
    <Dialog label={wanted.title} class="palette prompt" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p class="about">{wanted.about}</p>
        <label>
          {wanted.title}
          <input
            ref={input}
            type="text"
            placeholder={wanted.hint}
            value={text.value}
            autocomplete="off"
            spellcheck={false}
            aria-describedby={refused.value === null ? undefined : "refused"}
            aria-invalid={refused.value !== null}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              refused.value = null;
            }}
          />
        </label>
        {refused.value !== null && (
          <p id="refused" class="warn" role="alert">
            {refused.value}
          </p>
        )}
        {(wanted.offers ?? []).length > 0 && (
          <div class="offers" role="group" aria-label="Shown in the question">
            {wanted.offers?.map((offer) => (
              <button key={offer} type="button" class="small" onClick={() => (text.value = offer)}>
                {offer}
              </button>
            ))}
          </div>
        )}
        <div class="ends">
          <button type="button" class="do" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="do primary">
            Say it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
