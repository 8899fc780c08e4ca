import type { TableLayout } from "../../table/table-layout.ts";
import { byteSize } from "./numbers.ts";
import { counted, grouped } from "../../words/numbers.ts";
import type { Style } from "./style.ts";

/** The longest bar of the histogram, in characters. */
const BAR = 30;

/** What an index is made of, a line for the root and for each kind of node, with a bar for its part of the bytes. */
export function layoutText(layout: TableLayout, style: Style): string {
  const { family, rootBits, rootBytes, kinds, bytes, segments, nanoseconds } = layout;
  const row = (name: string, count: string, size: number, perLookup: number): string => {
    const bar = "#".repeat(Math.ceil((size / bytes) * BAR));
    const cells = [style("cyan", name.padEnd(11)), count.padStart(16), byteSize(size).padStart(9)];
    return `  ${cells.join(" ")}  ${perLookup.toFixed(2)} a lookup  ${bar}`.trimEnd();
  };
  const about = `${counted(segments, "range")}, ${byteSize(bytes)}, about ${nanoseconds.toFixed(1)} ns a lookup`;
  return [
    `${style("bold", `layout of IPv${family}`)}: ${about}`,
    row("root", `${rootBits} bits`, rootBytes, 1),
    ...kinds.map(({ kind, nodes, bytes: size, perLookup }) => row(kind, `${grouped(nodes)} nodes`, size, perLookup)),
    "",
  ].join("\n");
}
