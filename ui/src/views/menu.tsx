// Something that opens below a button and closes again: by Escape, by choosing, by going elsewhere.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  /** What stands on the button. */
  title: ComponentChildren;
  label: string;
  class?: string;
  disabled?: boolean;
  children: (close: () => void) => ComponentChildren;
}

export function Menu({ title, label, class: kind, disabled, children }: Props) {
  const open = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    if (box.current?.contains(document.activeElement) === true) button.current?.focus();
    open.value = false;
  };
  const drop = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open.value) return;
    if (drop.current !== null && button.current !== null) place(drop.current, button.current);
    const scrolled = (event: Event) => {
      if (event.target instanceof Node && drop.current?.contains(event.target) !== true) open.value = false;
    };
    const outside = (event: Event) => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) open.value = false;
    };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    addEventListener("scroll", scrolled, true);
    addEventListener("resize", scrolled);
    return () => {
      removeEventListener("scroll", scrolled, true);
      removeEventListener("resize", scrolled);
      removeEventListener("pointerdown", outside);
      removeEventListener("focusin", outside);
    };
  }, [open.value]);
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !open.value) return;
    event.stopPropagation();
    close();
  };
  return (
    <div class={`menu ${kind ?? ""}`} ref={box} onKeyDown={keys}>
      <button
        ref={button}
        class="do"
        aria-expanded={open.value}
        aria-label={label}
        title={label}
        disabled={disabled === true}
        onClick={() => (open.value = !open.value)}
      >
        {title}
      </button>
      {open.value && (
        <div ref={drop} class="drop" popover="manual" role="group" aria-label={label}>
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** Over everything, below the button where there is room, within the window. */
function place(drop: HTMLElement, button: HTMLElement): void {
  drop.showPopover();
  const at = button.getBoundingClientRect();
  const margin = 8;
  const below = innerHeight - at.bottom - margin;
  const above = at.top - margin;
  const up = below < Math.min(drop.offsetHeight, 240) && above > below;
  drop.style.maxHeight = `${Math.max(120, up ? above : below) - 4}px`;
  const height = drop.offsetHeight;
  drop.style.top = `${Math.max(margin, up ? at.top - height - 4 : Math.min(at.bottom + 4, innerHeight - margin - height))}px`;
  drop.style.left = `${Math.max(margin, Math.min(at.left, innerWidth - margin - drop.offsetWidth))}px`;
}
