import type { IdentifyResult } from "../../batch/identify.ts";
import type { Catalogue, CatalogueNode } from "../../cbs/catalogue.ts";
import { linesBy, fullServiceName } from "../../cbs/lines-by.ts";
import { type Bar, type BarColor, barLines } from "./bars.ts";
import { counted, grouped } from "./numbers.ts";
import type { Style } from "./style.ts";

export interface SummaryLayout {
  /** Columns of the terminal. */
  readonly width: number;
  /** Rows of a section before the rest becomes one line. */
  readonly rows: number;
}

/**
 * The summary of a run with `countMatches`: the lines by outcome, then by type, provider and service, with bars. A line counts
 * once for each type, provider and service that it belongs to.
 */
export function summaryText(result: IdentifyResult, catalogue: Catalogue, { width, rows }: SummaryLayout, style: Style): string {
  const outcome: Bar[] = [
    { name: "matched", count: result.matched, color: "green" },
    { name: "unmatched", count: result.unmatched, color: "yellow" },
    { name: "invalid", count: result.withoutAddress, color: "red" },
  ];
  const names = new Map(catalogue.nodes.map(({ id, name }) => [id, name]));
  const sections = [
    { title: counted(result.lines, "line"), bars: outcome },
    { title: "by type", bars: countBy(result, catalogue, "magenta", ({ type }) => names.get(`/${type}`) ?? type) },
    { title: "by provider", bars: countBy(result, catalogue, "cyan", ({ providerName }) => providerName) },
    { title: "by service", bars: countBy(result, catalogue, "blue", (node) => node.service && fullServiceName(node, names)) },
  ].filter(({ bars }) => bars.length > 0);
  const drawn = barLines(sections.map(({ bars }) => bars.slice(0, rows)), result.lines, width, style);
  const texts = sections.map(({ title, bars }, i) => {
    const more = bars.length > rows ? [style("dim", `  and ${grouped(bars.length - rows)} more`)] : [];
    return `${[style("bold", title), ...drawn[i]!, ...more].join("\n")}\n`;
  });
  return texts.join("\n");
}

/** Lines by a property of their nodes, most first. Nodes without the property do not count. */
function countBy({ perMatch }: IdentifyResult, catalogue: Catalogue, color: BarColor, keyOf: (node: CatalogueNode) => string | null): Bar[] {
  return linesBy(catalogue, perMatch, keyOf).map(({ key, lines }) => ({ name: key, count: lines, color }));
}
