import { Type } from "typebox";
import type { RangeList } from "../../../../cbs/ranges.ts";
import { contentTypeOf } from "../../../../formats/formats.ts";
import { setNameOf } from "../../../../formats/set-name.ts";
import { exportRules } from "../../../../rulesets/export-rules.ts";
import type { Rule } from "../../../../rulesets/rule.ts";
import { encoded } from "../../../../service/encoded.ts";
import { tagOf } from "../../../../service/rules/tags.ts";
import type { Services } from "../../../../service/services.ts";
import { inSlices } from "../../../../turns/in-slices.ts";
import type { App } from "../../../app-type.ts";
import { isKnown } from "../../../http/entity-tags.ts";
import { sendShared } from "../../../http/shared-file.ts";
import { CONDITIONAL } from "../../../openapi/documented-headers.ts";
import { READ_CBS } from "../../../operation.ts";
import { CbsExportQuery } from "../../../schemas/cbs.ts";
import { MEDIA_TYPES } from "../../../schemas/export.ts";
import { knownId, knownSource } from "./cbs-ids.ts";
import { viewAsOf } from "./view-as-of.ts";
import { refuseUnexportable, setNameFor } from "../export-format.ts";

/** The name of sets of the whole catalogue. */
const WHOLE = "cbs";

/** The prefixes of a node in every format in which rules are exported. */
export function addRangesExport(app: App, services: Services): void {
  const { files } = services.data;
  const schema = {
    operationId: "exportCbsRanges",
    summary: "The prefixes of a node as a file for another program",
    description:
      "The prefixes of the node and all nodes below it; without an id, of the whole catalogue. A format for one family needs `family`.",
    tags: ["Common Business Services"],
    problems: [400, 404],
    querystring: CbsExportQuery,
    response: { 200: Type.String(), 304: Type.Null() },
    otherTypes: MEDIA_TYPES,
    requestHeaders: CONDITIONAL,
    responseHeaders: { ETag: "changes with the catalogue" },
  };
  app.get("/cbs/ranges::export", { config: READ_CBS, schema }, async (request, reply) => {
    const { id: requested, source, family, aggregate, format = "text", purpose = "blocklist", as_of } = request.query;
    const setName =
      setNameFor(format, request.query.set_name) ?? (requested === undefined ? WHOLE : setNameOf(requested, requested));
    const view = await viewAsOf(services, request, as_of);
    const { tree } = await view.browsing();
    const id = knownId(app, tree, requested);
    const selection = { family, aggregate, source: knownSource(tree, source) };
    const key = JSON.stringify([view.tag, "export", format, purpose, setName, id, selection]);
    if (isKnown(request, reply, tagOf(key))) return reply.code(304).send();
    const list = await view.ranges(id, selection);
    const now = Date.parse(tree.catalogue.metadata.createdAt);
    return sendShared(request, reply, files, {
      key,
      make: () =>
        inSlices(encoded(exportRules(rulesOf(list), format, { setName, purpose, now }))).catch(refuseUnexportable),
      type: contentTypeOf(format),
      effort: "once",
    });
  });
}

/** As rules without names, which never expire. */
function rulesOf(list: RangeList): Iterable<Rule> {
  return list.prefixes().map((prefix) => ({ prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 }));
}
