import { Type } from "typebox";
import { offeredRuleset, offeredSnapshot } from "../../../service/snapshots/offered-snapshot.ts";
import type { Services } from "../../../service/services.ts";
import type { App } from "../../app-type.ts";
import { sendSnapshot, SNAPSHOT_TYPE } from "../../http/send-snapshot.ts";
import { CONDITIONAL } from "../../openapi/documented-headers.ts";
import { READ_CBS, READ_CTI, READ_EDL } from "../../operation.ts";
import { RulesetParameters } from "../../schemas/rule.ts";
import { findRuleset } from "../../resources/find-ruleset.ts";

const description =
  "A file for the commands and the library of ipsieve, which give the same answers from it as this server. `ipsieve pull` fetches it, and resumes an interrupted transfer: a request with `Range: bytes=N-` and the ETag in If-Range gets the rest (206), or the whole file (200) if it has changed since. Any other Range is ignored.";

/** What the operations have in common. */
const sent = {
  description,
  response: { 200: Type.String(), 206: Type.String(), 304: Type.Null() },
  otherTypes: [SNAPSHOT_TYPE],
  requestHeaders: {
    ...CONDITIONAL,
    Range: "the bytes to send, such as `bytes=1000-`; one range",
    "If-Range": "the ETag of the file that the range belongs to: if it has changed, the response is the whole file",
  },
  responseHeaders: {
    ETag: "changes with the file",
    "Repr-Digest": { sometimes: "the SHA-256 of the whole file (RFC 9530); absent if the status is 304" },
    "Content-Range": { sometimes: "which bytes of how many; only if the status is 206" },
  },
};

/** What this server answers from, as files: the catalogue, the threat intelligence, and rulesets. */
export function addPulledSnapshotRoutes(app: App, services: Services): void {
  const { catalogue, threats, files } = services.data;
  const ofCatalogue = {
    operationId: "pullCatalogue",
    summary: "The catalogue as a snapshot file",
    tags: ["Common Business Services"],
    ...sent,
  };
  app.get("/cbs/snapshot", { config: READ_CBS, schema: ofCatalogue }, async (request, reply) =>
    sendSnapshot(request, reply, await offeredSnapshot(catalogue.view().snapshot), "catalogue.ipsieve"),
  );

  const ofThreats = {
    operationId: "pullThreats",
    summary: "The threat intelligence as a snapshot file",
    tags: ["Threat intelligence"],
    ...sent,
  };
  app.get("/cti/snapshot", { config: READ_CTI, schema: ofThreats }, async (request, reply) =>
    sendSnapshot(request, reply, await offeredSnapshot(threats.view().snapshot), "cti.ipsieve"),
  );

  const ofRuleset = {
    operationId: "pullRuleset",
    summary: "A ruleset as a snapshot file, with its expired rules",
    tags: ["IP rulesets"],
    problems: [404],
    params: RulesetParameters,
    ...sent,
  };
  app.get("/edl/ip-rulesets/:ruleset_id/snapshot", { config: READ_EDL, schema: ofRuleset }, async (request, reply) => {
    const ruleset = findRuleset(request, services);
    const offered = await offeredRuleset(ruleset, files);
    return sendSnapshot(request, reply, offered, `${ruleset.about.id}.ipsieve`);
  });
}
