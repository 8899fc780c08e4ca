import { type CatalogueSource, sourceKey } from "../../../cbs/catalogue.ts";
import { layerAges, layerOf } from "../../../cbs/catalogue-ages.ts";
import { SOURCES } from "../../../cbs/importers/sources.ts";
import type { App } from "../../app-type.ts";
import { READ_CBS } from "../../operation.ts";
import { CatalogueSchema } from "../../schemas/catalogue.ts";
import type { Services } from "../../../service/services.ts";

const NODES = new Map(SOURCES.map(({ id, type, provider }) => [id, `/${type}/${provider}`]));

/** What the catalogue is made of: the sources with their ages, which belong to no single node. */
export function addCatalogueRoutes(app: App, { data: { catalogue }, now }: Services): void {
  const schema = {
    operationId: "getCatalogue",
    summary: "The sources of the catalogue and their age",
    tags: ["Common Business Services"],
    response: { 200: CatalogueSchema },
  };
  app.get("/catalogue", { config: READ_CBS, schema }, () => {
    const { title, createdAt, sources } = catalogue.view().catalogue.metadata;
    return {
      title,
      created_at: createdAt,
      layers: layerAges({ sources }, now()),
      sources: sources.map(sourceDocument),
    };
  });
}

function sourceDocument(source: CatalogueSource) {
  const { id, name, version, url, license, attribution, publishedAt, fetchedAt, changedAt } = source;
  const node = id === null ? null : (NODES.get(id) ?? null);
  return {
    node,
    source: sourceKey(source),
    layer: layerOf(source),
    name,
    version,
    url,
    license,
    attribution,
    published_at: publishedAt,
    fetched_at: fetchedAt,
    changed_at: changedAt,
  };
}
