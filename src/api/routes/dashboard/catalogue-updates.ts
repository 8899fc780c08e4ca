import type { App } from "../../app-type.ts";
import { type CatalogueUpdate, countsOf, UPDATE_RUNS } from "../../../service/datasets/catalogue-updates.ts";
import { newest } from "../../../service/processes/newest.ts";
import { datasetRejection } from "../../../service/datasets/dataset-access.ts";
import { BY_ADMINS } from "../../operation.ts";
import { Problem } from "../../problem.ts";
import { CatalogueUpdateSchema } from "../../schemas/catalogue-update.ts";
import type { Services } from "../../../service/services.ts";
import { formatTimestamp } from "../../../time/format-timestamp.ts";

const PATH = "/catalogue/update";
const tags = ["Common Business Services"];

/** Updates of the catalogue, for admins of the organisation that may change what all organisations share. */
export function addCatalogueUpdateRoutes(app: App, services: Services): void {
  const { peers } = services;
  const { catalogueUpdates } = services.data;

  const read = {
    operationId: "getCatalogueUpdate",
    summary: "Whether the catalogue can be updated here, and the state of the current or last update",
    tags,
    response: { 200: CatalogueUpdateSchema },
  };
  app.get(PATH, { config: BY_ADMINS, schema: read }, async (request) =>
    updateDocument(services, request.caller.organisationId),
  );

  const start = {
    operationId: "updateCatalogue",
    summary: "Starts an update of the catalogue from the publishers' official lists",
    description: "It continues after the response; getCatalogueUpdate reports its progress. One runs at a time.",
    tags,
    problems: [409, 503],
    response: { 202: CatalogueUpdateSchema },
  };
  app.post(PATH, { config: BY_ADMINS, schema: start }, async (request, reply) => {
    const { organisationId, id } = request.caller;
    const rejection = datasetRejection(services, organisationId);
    if (rejection !== undefined) throw new Problem("permission-denied", rejection);
    if ((await peers.ask("catalogueUpdate", null)).some((update) => update?.endedAt === null))
      throw new Problem("conflict", UPDATE_RUNS);
    catalogueUpdates.start(id, organisationId);
    return reply.code(202).send(await updateDocument(services, organisationId));
  });
}

async function updateDocument(services: Services, organisationId: string) {
  const { peers, memory } = services;
  const { catalogueUpdates } = services.data;
  const rejection = datasetRejection(services, organisationId);
  const unusable = catalogueUpdates.isPossible
    ? undefined
    : "this server uses the catalogue given by --catalogue, which updates do not change; start it without --catalogue to update here";
  // Reports name folders of the server, which concern only its operators.
  const last =
    rejection === undefined
      ? newest([catalogueUpdates.last, ...(await peers.ask("catalogueUpdate", null))])
      : undefined;
  const startedBy = last === undefined ? null : (memory.user(organisationId, last.startedBy)?.name ?? null);
  return {
    can_update: rejection === undefined && unusable === undefined,
    reason: rejection ?? unusable ?? null,
    last: last === undefined ? null : lastDocument(last, startedBy),
  };
}

function lastDocument(update: CatalogueUpdate, startedBy: string | null) {
  const { startedAt, endedAt, done, total, lists, result, error } = update;
  const shown = lists.filter(({ outcome }) => outcome !== "unchanged" && outcome !== "absent");
  return {
    state: endedAt === null ? ("running" as const) : error === null ? ("done" as const) : ("failed" as const),
    started_by: startedBy,
    started_at: formatTimestamp(startedAt),
    ended_at: endedAt === null ? null : formatTimestamp(endedAt),
    done,
    total,
    counts: countsOf(update),
    error,
    lists: shown.map(({ source, path, outcome, problem, prefixes, added, removed }) => ({
      source,
      path,
      outcome,
      problem,
      prefixes,
      added,
      removed,
    })),
    catalogue:
      result === null
        ? null
        : {
            created_at: result.createdAt,
            sources: result.sources,
            nodes: result.nodes,
            ipv4_prefixes: result.ipv4,
            ipv6_prefixes: result.ipv6,
            is_changed: result.generation !== null,
            missing: result.left.map(({ source, error: problem }) => ({ source: source.id, problem: problem ?? "" })),
          },
  };
}
