import type { FastifyRequest } from "fastify";
import { readCounts } from "../../../service/logs/counts-file.ts";
import { findIdentification } from "../../../service/processes/find-identification.ts";
import type { IdentificationState } from "../../../service/logs/identification-state.ts";
import { replayLog } from "../../../service/logs/replay-log.ts";
import type { Services } from "../../../service/services.ts";
import type { DeploymentSource } from "../../../store/records/deployment.ts";
import type { App } from "../../app-type.ts";
import { READ_EDL } from "../../operation.ts";
import { notFound, Problem } from "../../problem.ts";
import { ReplayBody, replayDocument, ReplayParameters, ReplaySchema } from "../../schemas/replay.ts";

const PATH = "/replays";
const tags = ["Logs"];
const NO_LOG = "the log does not exist or has been deleted; upload it again by POST /v1/identifications";
const NO_REPLAY = "the replay does not exist or is no longer kept; make it again";

/** What rules would have done with uploaded logs. */
export function addReplayRoutes(app: App, services: Services): void {
  const { settings, peers } = services;
  const { replays } = services.logs;
  const schema = {
    operationId: "replayLog",
    summary: "What rules, or a draft, would have done with an uploaded log",
    description:
      "Which rules would have been hit, which never, by how many lines and addresses, and which services; with `against`, what only one of the two would hit. The log is one that identifyLog has read, and can be replayed any number of times while it is kept. Nothing is written.",
    tags,
    problems: [400, 404, 409, 413, 415],
    body: ReplayBody(settings.bulkAddresses),
    response: { 200: ReplaySchema },
    bodyExample: {
      identification: "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a",
      rules: { prefixes: ["203.0.113.0/24", "198.51.100.7"] },
      against: { prefixes: ["203.0.113.0/25"] },
    },
  };
  app.post(PATH, { config: READ_EDL, schema }, async (request) => {
    const { rules, against, top = 10 } = request.body;
    const { organisationId } = request.caller;
    const log = await findLog(request, services);
    const counts = await countsOf(log);
    const sources = { rules: rules as DeploymentSource, against: against as DeploymentSource | undefined };
    const report = await replayLog(
      { organisationId, counts, top, now: request.now, ...sources },
      services.publishing.sources,
    );
    const { lines, no_address: without } = log.summary;
    const about = { lines, withAddress: lines - without, linesMissing: counts.missing };
    return replayDocument(replays.add(organisationId, { identificationId: log.id, log: about, report }));
  });

  const get = {
    operationId: "getReplay",
    summary: "A replay that was made within the last hour",
    tags,
    problems: [404],
    params: ReplayParameters,
    response: { 200: ReplaySchema },
  };
  app.get(`${PATH}/:id`, { config: READ_EDL, schema: get }, async (request) => {
    const { id } = request.params as { id: string };
    const owned = { organisationId: request.caller.organisationId, id: id.toLowerCase() };
    const found =
      replays.get(owned.organisationId, owned.id) ?? (await peers.ask("replay", owned)).find((each) => each !== null);
    if (found === undefined) throw notFound(NO_REPLAY);
    return replayDocument(found);
  });
}

/** Rejects with Problem (404, 409). */
async function findLog({ caller, body }: FastifyRequest, services: Services): Promise<IdentificationState> {
  const id = (body as { identification: string }).identification.toLowerCase();
  const found = await findIdentification({ organisationId: caller.organisationId, id }, services);
  if (found === undefined) throw notFound(NO_LOG);
  if (found.state === "done") return found;
  throw new Problem(
    "conflict",
    found.state === "running" ? "the log is still being identified" : "the log could not be read to its end",
  );
}

/** Rejects with Problem (404) if the file has been removed. */
async function countsOf({ countsPath }: IdentificationState) {
  try {
    return await readCounts(countsPath);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ENOENT" ? notFound(NO_LOG) : error;
  }
}
