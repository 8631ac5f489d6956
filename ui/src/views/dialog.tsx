// A window over the page that has the keyboard until it is closed, and then gives it back to where it was.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  label: string;
  class: string;
  close: () => void;
  children: ComponentChildren;
}

export function Dialog({ label, class: kind, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key comes.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      // What is behind can have the keyboard only once this is closed.
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-label={label}
      onClose={close}
      onCancel={close}
      onClick={(event) => {
        // Beside it: on what is behind.
        if (event.target === dialog.current) close();
      }}
    >
      <div class="inside">{children}</div>
    </dialog>
  );
}
