import { grouped, percent } from "./numbers.ts";
import type { Style } from "./style.ts";

export interface Bar {
  readonly name: string;
  readonly count: number;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of `share` (0..1) of `width` columns, drawn in eighths; what is there at all shows. */
export function drawBar(share: number, width: number): string {
  const eighths = Math.min(Math.max(Math.round(share * width * 8), share > 0 ? 1 : 0), width * 8);
  return "█".repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}

/**
 * Lines `name  count  percent  bar` in aligned columns. Percentages are of `total`; the longest bar fills the width, so that
 * small counts can be told apart.
 */
export function barLines(bars: readonly Bar[], total: number, width: number, style: Style, color: "green" | "yellow" | "cyan" = "cyan"): string[] {
  const nameWidth = Math.max(...bars.map(({ name }) => name.length));
  const countWidth = Math.max(...bars.map(({ count }) => grouped(count).length));
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const barWidth = Math.max(8, width - nameWidth - countWidth - 16);
  return bars.map(({ name, count }) => {
    const columns = [name.padEnd(nameWidth), grouped(count).padStart(countWidth), percent(total === 0 ? 0 : count / total).padStart(7)];
    return `  ${columns.join("  ")}  ${style(color, drawBar(count / most, barWidth))}`.trimEnd();
  });
}
