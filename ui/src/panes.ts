// The panes: which there are, how large each is, which are folded away. Sizes are shares of what is around them, so
// that they suit every window; the browser keeps them.

import { computed, effect, signal } from "@preact/signals";

import { keep, kept } from "./kept";

export type PaneId = "tree" | "question" | "details" | "source" | "timeline";

export interface Pane {
  id: PaneId;
  title: string;
  /** Share of what is around it, in percent. */
  size: number;
  least: number;
  most: number;
}

/** The view of the selected call takes what the others leave. */
export const PANES: Pane[] = [
  { id: "tree", title: "Tree", size: 24, least: 10, most: 50 },
  { id: "question", title: "Question", size: 54, least: 12, most: 85 },
  { id: "source", title: "Source", size: 34, least: 12, most: 60 },
  { id: "timeline", title: "Timeline", size: 12, least: 6, most: 60 },
];

const ORDER: PaneId[] = ["question", "tree", "details", "source", "timeline"];

interface Layout {
  sizes: Partial<Record<PaneId, number>>;
  folded: PaneId[];
}

function read(): Layout {
  const layout: Layout = { sizes: {}, folded: [] };
  try {
    const value = JSON.parse(kept("layout") ?? "{}") as Partial<Layout>;
    for (const pane of PANES) {
      const size = value.sizes?.[pane.id];
      if (typeof size === "number") layout.sizes[pane.id] = bounded(pane, size);
      if (Array.isArray(value.folded) && value.folded.includes(pane.id)) layout.folded.push(pane.id);
    }
  } catch {
    // What cannot be read is forgotten.
  }
  return layout;
}

const bounded = (pane: Pane, size: number) => Math.min(pane.most, Math.max(pane.least, size));

const layout = signal<Layout>(read());
effect(() => keep("layout", JSON.stringify(layout.value)));

export const sizeOf = (pane: Pane): number => layout.value.sizes[pane.id] ?? pane.size;
export const isFolded = (id: PaneId): boolean => layout.value.folded.includes(id);

export function resize(pane: Pane, size: number): void {
  const folded = layout.value.folded.filter((id) => id !== pane.id);
  layout.value = { sizes: { ...layout.value.sizes, [pane.id]: bounded(pane, size) }, folded };
}

export function fold(id: PaneId): void {
  const folded = isFolded(id) ? layout.value.folded.filter((other) => other !== id) : [...layout.value.folded, id];
  layout.value = { ...layout.value, folded };
}

/** Windows in which there is room for one pane beside the question. */
const media = matchMedia("(max-width: 959px)");
export const narrow = signal(media.matches);
media.addEventListener("change", () => (narrow.value = media.matches));
/** The pane that a narrow window shows below the question. */
export const front = signal<PaneId>("tree");
export const behind = computed(() => ORDER.filter((id) => id !== "question"));

/** Gives a pane the keyboard: what in it had it last would be nicer, what comes first is good enough. */
export function focusPane(id: PaneId): void {
  if (narrow.value && id !== "question") front.value = id;
  else if (isFolded(id)) fold(id);
  setTimeout(() => {
    const pane = document.getElementById(`pane-${id}`);
    const inner = pane?.querySelector<HTMLElement>('[data-first], [role="treegrid"], [role="tab"][aria-selected="true"], .cm-content');
    const target = inner ?? pane;
    if (target === null || target === undefined) return;
    if (target.tabIndex < 0 && !target.hasAttribute("tabindex")) target.setAttribute("tabindex", "-1");
    target.focus();
  });
}

export function nextPane(by: number): void {
  const within = document.activeElement?.closest<HTMLElement>("[id^=pane-]")?.id.slice("pane-".length);
  const shown = ORDER.filter((id) => narrow.value || !isFolded(id));
  const at = shown.findIndex((id) => id === within);
  const next = shown[(at + by + shown.length) % shown.length] ?? "question";
  focusPane(at < 0 ? "question" : next);
}
