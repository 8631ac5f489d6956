// A menu at a place: what can be done with a row, opened by the right mouse button, the menu key or a button.

import { useEffect, useRef } from "preact/hooks";

export interface MenuPosition {
  x: number;
  y: number;
}

export interface Choice {
  title: string;
  /** The key that does the same without the menu. */
  key?: string | null;
  enabled?: boolean;
  /** Begins another group. */
  apart?: boolean;
  run: () => unknown;
}

/** `close` gives the keyboard back to where it was. */
export function ContextMenu({ label, choices, place, close }: { label: string; choices: Choice[]; place: MenuPosition; close: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)") ?? [])];
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(4, Math.min(place.x, innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(4, Math.min(place.y, innerHeight - height - 4))}px`;
    items()[0]?.focus();
  }, [place]);
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation();
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[(to + all.length) % all.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="context"
      ref={box}
      popover="auto"
      role="menu"
      aria-label={label}
      onKeyDown={keys}
      onToggle={(event) => {
        if ((event as unknown as { newState: string }).newState === "closed") close();
      }}
    >
      {choices.map(({ title, key, enabled, apart, run }) => (
        <button
          role="menuitem"
          tabIndex={-1}
          class={apart === true ? "apart" : ""}
          disabled={enabled === false}
          onClick={() => {
            close();
            void run();
          }}
        >
          {title}
          {key != null && <kbd>{key}</kbd>}
        </button>
      ))}
    </div>
  );
}
