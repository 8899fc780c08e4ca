import type { Family, Prefix } from "../address/address.ts";
import type { EntryList, LabelledEntry } from "../formats/entry.ts";
import { type Format, inChunks, UnexportableError } from "../formats/format.ts";
import { type FormatOf, FORMATS, formatsOf } from "../formats/formats.ts";
import { prefixAt } from "./_prefix-list.ts";
import { CatalogueError } from "./catalogue-error.ts";
import type { CatalogueTree } from "./catalogue-tree.ts";
import type { MatchId } from "../table/match-id.ts";

/** The name of a format in which `exportCatalogue` writes. */
export type ExportFormat = FormatOf<"catalogue">;
/** Every `ExportFormat`, in the order in which help and errors list them. */
export const EXPORT_FORMATS: readonly ExportFormat[] = formatsOf("catalogue");

/** How a catalogue is exported. */
export interface CatalogueExportOptions {
  /** What an MMDB says that it is, `ipsieve-CBS` by default: some readers accept only the names of MaxMind's databases. */
  readonly databaseType?: string;
}

/**
 * The file of a catalogue in another program's format, in chunks; the same catalogue gives the same bytes until a prefix in it expires.
 * O(prefixes), MMDB O(prefixes x length). @throws CatalogueError "unexportable" if the format cannot represent it
 */
export function* exportCatalogue(
  tree: CatalogueTree,
  format: ExportFormat,
  options: CatalogueExportOptions = {},
): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const writer: Format<"catalogue"> = FORMATS[format];
  try {
    for (const chunk of inChunks(writer.write({ ...entryList(tree, writer), ...options })))
      yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
  } catch (error) {
    if (error instanceof UnexportableError) throw new CatalogueError("unexportable", error.value, error.message);
    throw error;
  }
}

/** The prefixes that a format cannot represent and leaves out, and why. O(prefixes). */
export function leftOut(tree: CatalogueTree, format: ExportFormat): { prefixes: Prefix[]; reason: string } {
  const writer: Format<"catalogue"> = FORMATS[format];
  const { reason, from } = writer.leavesOut ?? { reason: "", from: () => [] };
  return { prefixes: from(entryList(tree, writer)), reason };
}

/** The catalogue as the writer of a format reads it. */
function entryList(tree: CatalogueTree, { takesMostSpecific = false }: Format<"catalogue">): EntryList<"catalogue"> {
  const { title, createdAt } = tree.catalogue.metadata;
  return {
    kind: "catalogue",
    entries: (family) => entriesOf(tree, family === undefined ? [4, 6] : [family], takesMostSpecific),
    name: "cbs",
    title,
    createdAt: Date.parse(createdAt),
    now: Date.parse(createdAt),
  };
}

/** Each prefix with its own nodes, or with those of all prefixes around it too. */
function* entriesOf(
  tree: CatalogueTree,
  families: readonly Family[],
  takesMostSpecific: boolean,
): Generator<LabelledEntry> {
  const { catalogue } = tree;
  for (const family of families) {
    const list = tree.prefixes(family);
    for (let at = 0; at < list.count; at++) {
      const match = list.matches[at]! as MatchId;
      const labels = takesMostSpecific ? catalogue.nodesOf(match) : catalogue.ownNodesOf(match);
      yield { prefix: prefixAt(list, at), labels };
    }
  }
}
