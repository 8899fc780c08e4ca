import { type CatalogueDiff, diffingCatalogues } from "../../../../cbs/diff.ts";
import type { CatalogueView } from "../../../../service/datasets/catalogue-view.ts";
import type { Services } from "../../../../service/services.ts";
import { tagOf } from "../../../../service/rules/tags.ts";
import { inSlices } from "../../../../turns/in-slices.ts";
import type { App } from "../../../app-type.ts";
import { isKnown } from "../../../http/entity-tags.ts";
import { extentOf, pageOf, rejectCursor } from "../../../http/page.ts";
import { READ_CBS } from "../../../operation.ts";
import { CbsDiff, CbsDiffQuery } from "../../../schemas/cbs.ts";
import { tagged } from "./tagged.ts";
import { viewAsOf } from "./view-as-of.ts";

/** By the catalogue before, then by the one after: pages of one difference make it once. */
const made = new WeakMap<CatalogueView, WeakMap<CatalogueView, Promise<CatalogueDiff>>>();

/** What changed between two catalogues of the server's history. */
export function addDiff(app: App, services: Services): void {
  const schema = {
    operationId: "diffCbs",
    summary: "What changed between two catalogues",
    description: "The prefixes with other nodes than before, in order, and on each page what changed altogether.",
    tags: ["Common Business Services"],
    problems: [400],
    querystring: CbsDiffQuery,
    ...tagged(CbsDiff),
  };
  app.get("/cbs/diff", { config: READ_CBS, schema }, async (request, reply) => {
    const { from, to } = request.query;
    rejectCursor(request);
    const before = await viewAsOf(services, request, from, "from");
    const after = await viewAsOf(services, request, to, "to");
    if (isKnown(request, reply, tagOf(`${before.tag} ${after.tag}`))) return reply.code(304).send();
    const { prefixes, ...rest } = await diffOf(before, after);
    const { offset, limit } = extentOf(request.query);
    const page = pageOf(request, services.settings, prefixes.slice(offset, offset + limit), prefixes.length);
    return { ...page, ...rest };
  });
}

function diffOf(before: CatalogueView, after: CatalogueView): Promise<CatalogueDiff> {
  const known = made.get(before) ?? new WeakMap<CatalogueView, Promise<CatalogueDiff>>();
  made.set(before, known);
  const diff = known.get(after) ?? makeDiff(before, after);
  known.set(after, diff);
  diff.catch(() => known.delete(after));
  return diff;
}

async function makeDiff(before: CatalogueView, after: CatalogueView): Promise<CatalogueDiff> {
  const [one, other] = [(await before.browsing()).tree, (await after.browsing()).tree];
  return inSlices(diffingCatalogues(one, other));
}
