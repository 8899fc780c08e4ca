import type { IdentifyResult } from "../../batch/identify.ts";
import type { Catalogue, CatalogueNode } from "../../cbs/catalogue.ts";
import { type Bar, barLines } from "./bars.ts";
import { counted, grouped } from "./numbers.ts";
import type { Style } from "./style.ts";

/** Rows of a section before the rest becomes one line. */
const MOST_ROWS = 15;

/**
 * The summary of a run with `countMatches`: the lines by outcome, then by type, provider and service, with bars. A line counts
 * once for each type, provider and service that it belongs to.
 */
export function summaryText(result: IdentifyResult, catalogue: Catalogue, width: number, style: Style): string {
  const { lines } = result;
  const outcome = [
    { name: "matched", count: result.matched },
    { name: "unmatched", count: result.unmatched },
    { name: "invalid", count: result.withoutAddress },
  ];
  const typeNames = new Map(catalogue.nodes.map(({ id, name }) => [id, name]));
  const keys: [title: string, keyOf: (node: CatalogueNode) => string | null][] = [
    ["type", ({ type }) => typeNames.get(`/${type}`) ?? type],
    ["provider", ({ providerName }) => providerName],
    ["service", ({ providerName, service }) => service && `${providerName} ${service}`],
  ];
  return [
    style("bold", counted(lines, "line")),
    ...barLines(outcome, lines, width, style, "green"),
    ...keys.flatMap(([title, keyOf]) => section(title, countBy(result, catalogue, keyOf), lines, width, style)),
    "",
  ].join("\n");
}

function section(title: string, bars: readonly Bar[], lines: number, width: number, style: Style): string[] {
  if (bars.length === 0) return [];
  const rest = bars.length - MOST_ROWS;
  const more = rest > 0 ? [style("dim", `  and ${grouped(rest)} more`)] : [];
  return ["", style("bold", `by ${title}`), ...barLines(bars.slice(0, MOST_ROWS), lines, width, style), ...more];
}

/** Lines by a property of their nodes, most first. Nodes without the property do not count. */
function countBy({ perMatch }: IdentifyResult, catalogue: Catalogue, keyOf: (node: CatalogueNode) => string | null): Bar[] {
  const counts = new Map<string, number>();
  for (let match = 1; match < perMatch.length; match++) {
    const lines = perMatch[match]!;
    if (lines === 0) continue;
    const keys = new Set(catalogue.nodesOf(match).map(keyOf));
    for (const key of keys) if (key !== null && key !== "") counts.set(key, (counts.get(key) ?? 0) + lines);
  }
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
