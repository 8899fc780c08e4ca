import type { CatalogueSource } from "../../cbs/catalogue.ts";
import { SOURCES } from "../../cbs/importers/sources.ts";
import type { App } from "../app-type.ts";
import { READ_CBS } from "../operation.ts";
import { CatalogueSchema } from "../schemas/catalogue.ts";
import type { Services } from "../services.ts";

const NODES = new Map(SOURCES.map(({ id, type, provider }) => [id, `/${type}/${provider}`]));

/** What the catalogue is made of: the sources with their ages, which belong to no single node. */
export function addCatalogueRoutes(app: App, { catalogue }: Services): void {
  const schema = { operationId: "getCatalogue", summary: "Where the catalogue comes from", tags: ["Common Business Services"], response: { 200: CatalogueSchema } };
  app.get("/catalogue", { config: READ_CBS, schema }, () => {
    const { title, createdAt, sources } = catalogue.view().tree.catalogue.metadata;
    return { title, created_at: createdAt, sources: sources.map(sourceDocument) };
  });
}

function sourceDocument({ id, name, version, url, license, attribution, publishedAt, fetchedAt, changedAt }: CatalogueSource) {
  const node = id === null ? null : (NODES.get(id) ?? null);
  return { node, name, version, url, license, attribution, published_at: publishedAt, fetched_at: fetchedAt, changed_at: changedAt };
}
