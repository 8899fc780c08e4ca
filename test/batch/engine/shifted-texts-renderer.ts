import type { RendererModule } from "../../../src/batch/engine/create-row-templates.ts";
import { createSharedTemplates as shared } from "../../../src/datasets/catalogue-renderer.ts";

export { createRowTemplates } from "../../../src/datasets/catalogue-renderer.ts";

/** Wrong: the texts of all matches but the last are those of the match after it. */
export const createSharedTemplates: RendererModule["createSharedTemplates"] = (snapshot, format, now) => {
  const templates = shared(snapshot, format, now);
  return {
    ...templates,
    texts: () => {
      const texts = templates.texts();
      return texts && { ...texts, startOf: texts.startOf.copyWithin(1, 2) };
    },
  };
};
