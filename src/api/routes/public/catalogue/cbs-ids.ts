import { sourceKey } from "../../../../cbs/catalogue.ts";
import type { CatalogueTree } from "../../../../cbs/catalogue-tree.ts";
import type { App } from "../../../app-type.ts";
import { notFound } from "../../../problem.ts";

/** The source, if the catalogue has one with this key. @throws Problem (404) */
export function knownSource({ catalogue }: CatalogueTree, source: string | undefined): string | undefined {
  const keys = catalogue.metadata.sources.map(sourceKey);
  if (source === undefined || keys.includes(source)) return source;
  throw notFound(
    `the catalogue has no source ${JSON.stringify(source)}; the node of the catalogue itself lists its sources`,
  );
}

/** The id, if there is such a node. @throws Problem (404) */
export function knownId({ prefix }: App, tree: CatalogueTree, id: string | undefined): string | undefined {
  if (id === undefined || tree.has(id)) return id;
  throw notFound(
    `the catalogue has no node ${JSON.stringify(id)}; ids look like /cdn/cloudflare, and ${prefix}/cbs/search finds them by name`,
  );
}
