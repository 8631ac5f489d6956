// A button for a command, with its key. It can be reached also when it does nothing, so that the keyboard never
// loses its place.

import { SAYS } from "../ahead";
import { command } from "../commands";

export function keyName(key: string): string {
  return key.replace("Ctrl+k", "Ctrl+K").replace("Shift+", "⇧").replace(/^([A-Z])$/, "⇧$1");
}

export function Button({ id, title, done }: { id: string; title?: string; done?: () => void }) {
  const { title: own, keys, enabled, says, run } = command(id);
  const key = keys[0];
  const can = enabled();
  return (
    <button
      class={`do ${id}`}
      aria-disabled={!can}
      data-command={id}
      {...(says === true ? SAYS : {})}
      title={title === undefined ? undefined : own}
      aria-keyshortcuts={key?.replace(/^([A-Z])$/, "Shift+$1")}
      onClick={() => {
        if (!enabled()) return;
        void run();
        done?.();
      }}
    >
      {title ?? own}
      {key !== undefined && <kbd aria-hidden="true">{keyName(key)}</kbd>}
    </button>
  );
}
