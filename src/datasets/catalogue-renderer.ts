import type { CreateRowTemplates, RendererModule } from "../batch/engine/create-row-templates.ts";
import { Catalogue } from "../cbs/catalogue.ts";
import { rowTemplates, sharedRowTemplates } from "../cbs/row-templates.ts";

/** The address of this module: the threads of the log pipeline import it to render rows of a catalogue. */
export const CATALOGUE_RENDERER: string = import.meta.url;

/** Called by the log pipeline in each of its threads: returns a function from a match to the template of its row. */
export const createRowTemplates: CreateRowTemplates = (snapshot, format, now) =>
  rowTemplates(new Catalogue(snapshot.metadata, snapshot.table, now), format);

/** The same templates, shared by matches of one label. */
export const createSharedTemplates: NonNullable<RendererModule["createSharedTemplates"]> = (snapshot, format, now) =>
  sharedRowTemplates(new Catalogue(snapshot.metadata, snapshot.table, now), format);
