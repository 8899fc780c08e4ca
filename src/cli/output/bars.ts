import { percent } from "./numbers.ts";
import { grouped } from "../../words/numbers.ts";
import type { Style } from "./style.ts";

export type BarColor = "green" | "yellow" | "red" | "cyan" | "magenta" | "blue";

export interface Bar {
  readonly name: string;
  readonly count: number;
  readonly color: BarColor;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const WIDEST_BAR = 40;
const NARROWEST_BAR = 8;
const NARROWEST_NAME = 10;

/** A bar of `share` (0..1) of `width` columns, drawn in eighths; a share above 0 is always visible. */
export function drawBar(share: number, width: number): string {
  const eighths = Math.min(Math.max(Math.round(share * width * 8), share > 0 ? 1 : 0), width * 8);
  return "█".repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}

/**
 * Lines `name  count  percent  bar` for each group of bars, with the same columns in all groups. Percentages are of
 * `total`; the longest bar of a group fills the width, so that small counts can be distinguished. Names are shortened
 * in favour of bars: lines fit 40 columns.
 */
export function barLines(groups: readonly (readonly Bar[])[], total: number, width: number, style: Style): string[][] {
  const all = groups.flat();
  const countWidth = Math.max(...all.map(({ count }) => grouped(count).length));
  const left = width - countWidth - 15;
  const nameWidth = Math.min(
    Math.max(...all.map(({ name }) => name.length)),
    Math.max(NARROWEST_NAME, left - NARROWEST_BAR),
  );
  const barWidth = Math.max(1, Math.min(WIDEST_BAR, left - nameWidth));
  return groups.map((bars) => {
    const most = Math.max(1, ...bars.map(({ count }) => count));
    return bars.map(({ name, count, color }) => {
      const columns = [
        cut(name, nameWidth).padEnd(nameWidth),
        grouped(count).padStart(countWidth),
        percent(total === 0 ? 0 : count / total).padStart(7),
      ];
      return `  ${columns.join("  ")}  ${count === 0 ? "" : style(color, drawBar(count / most, barWidth))}`.trimEnd();
    });
  });
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
