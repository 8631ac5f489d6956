// Keys in a list of things that happened: one tab stop, arrows move, Enter and Space choose.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

export function useChoices(count: number, start: number, choose: (at: number) => void) {
  const moved = useSignal<number | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const at = Math.max(0, Math.min(count - 1, moved.value ?? start));
  const go = (to: number) => {
    moved.value = Math.max(0, Math.min(count - 1, to));
    const item = list.current?.querySelectorAll<HTMLElement>("[role=option]")[moved.value];
    item?.focus();
    item?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1, PageDown: at + 20, PageUp: at - 20 }[event.key];
    if (to !== undefined) go(to);
    else if (event.key === "Enter" || event.key === " ") choose(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** Back to where the views are. */
  const forget = () => (moved.value = null);
  return { list, at, onKeyDown, forget };
}
