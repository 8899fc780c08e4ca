import { TIME_UNITS } from "../../batch/engine/time-counter.ts";
import { type Bar, type BarColor, barLines } from "./bars.ts";
import type { CountedTimes, Counts, CountsOfSnapshot, TopList } from "./counts.ts";
import { counted, grouped } from "../../words/numbers.ts";
import type { Style } from "./style.ts";

export interface SummaryLayout {
  /** Columns of the terminal. */
  readonly width: number;
  /** Rows of a section before the rest becomes one line. */
  readonly rows: number;
}

/**
 * The counts of a run, with bars: the lines by outcome, then, in a summary, by what each snapshot says about them, and
 * the top addresses, if these were counted.
 */
export function summaryText(counts: Counts, { width, rows }: SummaryLayout, style: Style): string {
  const { lines, snapshots, times, top } = counts;
  const sections: Section[] = [
    { title: counted(lines, "line"), bars: outcome(counts) },
    ...(snapshots.length > 1 ? [{ title: "matched in", bars: snapshots.map(matchedBar) }] : []),
    ...(times === null ? [] : [timeSection(times)]),
    ...snapshots.flatMap((one) => sectionsOf(one, snapshots.length > 1)),
    ...(top === null ? [] : [topSection("matched", top.matched, "green")]),
    ...(top === null ? [] : [topSection("unmatched", top.unmatched, "yellow")]),
  ].filter(({ bars }) => bars.length > 0);
  const shown = sections.map(({ bars, all = rows }) => bars.slice(0, all));
  const drawn = barLines(shown, lines, width, style);
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

function outcome({ matched, unmatched, no_address }: Counts): Bar[] {
  return [
    { name: "matched", count: matched, color: "green" },
    { name: "unmatched", count: unmatched, color: "yellow" },
    { name: "invalid", count: no_address, color: "red" },
  ];
}

function matchedBar({ label, matched }: CountsOfSnapshot): Bar {
  return { name: label, count: matched, color: "green" };
}

function sectionsOf({ label, sections }: CountsOfSnapshot, isLabelled: boolean): Section[] {
  return sections.map(({ one, color, entries }) => ({
    title: isLabelled ? `${label}, by ${one}` : `by ${one}`,
    bars: entries.map(({ shown, lines }) => ({ name: shown, count: lines, color })),
  }));
}

/** Up to so many minutes, hours or days without lines between others have a row each; more have one together. */
const MAX_GAP = 24;

/** All of them in order, so that one sees when there was much and when there was nothing. */
function timeSection({ unit, counts, withoutTime }: CountedTimes): Section {
  const bars: Bar[] = [];
  let next = Number.NaN;
  const bar = (time: number, count: number): Bar => {
    const text = new Date(time).toISOString().replace("T", " ");
    return { name: text.slice(0, unit === "day" ? 10 : 16), count, color: "blue" };
  };
  for (const { from, lines } of counts) {
    const time = Date.parse(from);
    const gap = (time - next) / TIME_UNITS[unit];
    if (gap > MAX_GAP) bars.push({ name: `${grouped(gap)} ${unit}s without lines`, count: 0, color: "blue" });
    else for (; next < time; next += TIME_UNITS[unit]) bars.push(bar(next, 0));
    bars.push(bar(time, lines));
    next = time + TIME_UNITS[unit];
  }
  if (withoutTime > 0) bars.push({ name: "without a time", count: withoutTime, color: "red" });
  return { title: `by ${unit} (UTC)`, bars, all: bars.length };
}

function topSection(title: string, { distinct, addresses }: TopList, color: BarColor): Section {
  const width = Math.max(0, ...addresses.map(({ ip }) => ip.length));
  const bars = addresses.map(({ ip, words, lines }): Bar => ({
    name: `${ip.padEnd(width)}  ${words}`.trimEnd(),
    count: lines,
    color,
  }));
  return { title: `top addresses, ${title}`, bars, all: bars.length, of: distinct };
}
