// Keys that are typed while a window or a field that is to have them is only on its way: they are kept for it, and never
// reach the page, where a letter is an answer.

let typed: string | null = null;
let since = 0;
/** Whatever has not opened by now does not open: keys are the page's again. */
const LONGEST = 2000;

/** Something that takes what is typed is about to open. */
export function expect(): void {
  typed ??= "";
  since = performance.now();
}

/** It is open: what was typed for it so far. */
export function taken(): string {
  const text = typed ?? "";
  typed = null;
  return text;
}

/** Keeps a key, if something is about to open. */
export function keep(event: KeyboardEvent): boolean {
  if (typed !== null && performance.now() - since > LONGEST) typed = null;
  if (typed === null) return false;
  if (event.key === "Backspace") typed = typed.slice(0, -1);
  else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) typed += event.key;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** What answers, and how it is marked on the page. */
export const SAYS = { "data-says": "" };

/**
 * Is this no act of its own? A key that is held down and the second click of two were meant for what was there before: by
 * now another question may stand there.
 */
export function unmeant(event: Event): boolean {
  if (event instanceof KeyboardEvent) {
    const on = event.target instanceof Element && event.target.closest("[data-says]") !== null;
    return on && event.repeat && (event.key === "Enter" || event.key === " ");
  }
  return event instanceof MouseEvent && event.detail > 1;
}
