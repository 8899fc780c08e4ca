import type { CreateRowTemplates } from "../../batch/create-row-templates.ts";
import { Catalogue } from "../../cbs/catalogue.ts";
import { rowTemplates } from "../../cbs/row-templates.ts";

/** The address of this module, for the threads that import it. */
export const RENDERER: string = import.meta.url;

/** What the batch room calls in each thread: rows of a catalogue. */
export const createRowTemplates: CreateRowTemplates = (snapshot, format) =>
  rowTemplates(new Catalogue(snapshot.metadata, snapshot.table), format);
