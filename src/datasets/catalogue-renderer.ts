import { Catalogue } from "../cbs/catalogue.ts";
import type { RowFormat } from "../cbs/row-template.ts";
import { rowTemplates } from "../cbs/row-templates.ts";
import type { Snapshot } from "../snapshot/open-snapshot.ts";

/** The address of this module: the threads of the log pipeline import it to render rows of a catalogue. */
export const CATALOGUE_RENDERER: string = import.meta.url;

/** What the log pipeline calls in each of its threads: a function from a match to the template of its row. */
export const createRowTemplates = (snapshot: Snapshot, format: RowFormat): ((match: number) => Uint8Array) =>
  rowTemplates(new Catalogue(snapshot.metadata, snapshot.table), format);
