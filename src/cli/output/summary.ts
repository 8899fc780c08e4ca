import type { IdentifyResult } from "../../batch/identify-result.ts";
import type { AddressRanking } from "../../batch/top-addresses.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { logCounts, type NamedLines } from "../../cbs/lines-by.ts";
import { type Bar, type BarColor, barLines } from "./bars.ts";
import { topList } from "./counts.ts";
import { counted, grouped } from "./numbers.ts";
import type { Style } from "./style.ts";

export interface SummaryLayout {
  /** Columns of the terminal. */
  readonly width: number;
  /** Rows of a section before the rest becomes one line. */
  readonly rows: number;
}

/**
 * The counts of a run, with bars: the lines by outcome, then (`countMatches`) by type, provider and service, and the
 * top addresses, where these were counted. A line counts once for each type, provider and service that it belongs to.
 */
export function summaryText(
  result: IdentifyResult,
  catalogue: Catalogue,
  { width, rows }: SummaryLayout,
  style: Style,
): string {
  const outcome: Bar[] = [
    { name: "matched", count: result.matched, color: "green" },
    { name: "unmatched", count: result.unmatched, color: "yellow" },
    { name: "invalid", count: result.withoutAddress, color: "red" },
  ];
  const { types, providers, services } = logCounts(catalogue, result.perMatch);
  const sections: Section[] = [
    { title: counted(result.lines, "line"), bars: outcome },
    { title: "by type", bars: barsOf(types, "magenta") },
    { title: "by provider", bars: barsOf(providers, "cyan") },
    { title: "by service", bars: barsOf(services, "blue") },
    ...topSections(result, catalogue),
  ].filter(({ bars }) => bars.length > 0);
  const shown = sections.map(({ bars, all = rows }) => bars.slice(0, all));
  const drawn = barLines(shown, result.lines, width, style);
  const texts = sections.map(({ title, bars, of = bars.length }, i) => {
    const left = of - shown[i]!.length;
    const more = left > 0 ? [style("dim", `  and ${grouped(left)} more`)] : [];
    return `${[style("bold", title), ...drawn[i]!, ...more].join("\n")}\n`;
  });
  return texts.join("\n");
}

/** A part of the summary. `all` is how many of its bars are drawn, out of `of`; by default the layout decides. */
interface Section {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly all?: number;
  readonly of?: number;
}

function topSections({ top }: IdentifyResult, catalogue: Catalogue): Section[] {
  if (top === null) return [];
  const section = (title: string, ranking: AddressRanking, color: BarColor): Section => {
    const { distinct, addresses } = topList(ranking, catalogue);
    const width = Math.max(0, ...addresses.map(({ ip }) => ip.length));
    const bars = addresses.map(({ ip, labels, lines }): Bar => ({
      name: `${ip.padEnd(width)}  ${labels.join(", ")}`.trimEnd(),
      count: lines,
      color,
    }));
    return { title, bars, all: bars.length, of: distinct };
  };
  return [
    section("top addresses, matched", top.matched, "green"),
    section("top addresses, unmatched", top.unmatched, "yellow"),
  ];
}

function barsOf(counts: readonly NamedLines[], color: BarColor): Bar[] {
  return counts.map(({ name, lines }) => ({ name, count: lines, color }));
}
