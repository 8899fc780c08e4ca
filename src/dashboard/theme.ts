import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const NAME = "ipsieve-theme";
const kept = localStorage.getItem(NAME);

export const theme = signal<Theme>(THEMES.find((each) => each === kept) ?? "system");

/** Call it once; the page uses the chosen theme from then on. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    localStorage.setItem(NAME, theme.value);
  });
}
