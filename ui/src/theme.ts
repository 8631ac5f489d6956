// Light or dark: as the system has it, or as somebody chose. Colours are variables, so nothing else has to know.

import { effect, signal } from "@preact/signals";

import { kept, keep } from "./kept";

export type Theme = "system" | "light" | "dark";

export const THEMES: Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>(THEMES.find((one) => one === kept("theme")) ?? "system");

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
}

effect(() => {
  const chosen = theme.value;
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
  keep("theme", chosen);
});
