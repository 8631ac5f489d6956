// A box in which any location can be named, for the views that are about one.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { select, selection } from "../selection";

/** `shown`: what is shown as long as nothing is selected. */
export function LocationBox({ error, shown = null }: { error: string | null; shown?: string | null }) {
  const location = selection.value.location ?? shown;
  const typed = useSignal(location ?? "");
  useEffect(() => {
    typed.value = location ?? "";
  }, [location]);
  const go = (event: Event) => {
    event.preventDefault();
    const text = typed.value.trim();
    if (text !== "") select({ location: text });
  };
  return (
    <form class="location-box" onSubmit={go}>
      <label>
        <span class="faint">value of </span>
        <input
          value={typed.value}
          spellcheck={false}
          autocomplete="off"
          placeholder="int[]@4[2], Node@7.left.key, Config.DEFAULT, Foo.bar#3:x"
          aria-invalid={error !== null}
          aria-describedby="location-error"
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      </label>
      <button class="small" disabled={typed.value.trim() === "" || typed.value.trim() === location}>
        show
      </button>
      <p id="location-error" class="warn" role="alert">
        {error}
      </p>
    </form>
  );
}
