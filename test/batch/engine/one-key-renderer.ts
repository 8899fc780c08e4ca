import type { RendererModule } from "../../../src/batch/engine/create-row-templates.ts";
import { createSharedTemplates as shared } from "../../../src/datasets/catalogue-renderer.ts";

export { createRowTemplates } from "../../../src/datasets/catalogue-renderer.ts";

/** Wrong: all matches share one template. */
export const createSharedTemplates: RendererModule["createSharedTemplates"] = (snapshot, format, now) => ({
  ...shared(snapshot, format, now),
  texts: () => null,
  keyOf: (match) => Math.min(match, 1),
});
