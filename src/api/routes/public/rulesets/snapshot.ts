import { Readable } from "node:stream";
import { Type } from "typebox";
import { ruleJson } from "../../../../formats/rule-document.ts";
import { copyOf } from "../../../../service/store/copied-rules.ts";
import type { LiveRuleset } from "../../../../service/store/service-memory.ts";
import { invalid } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import { Slice } from "../../../../turns/in-slices.ts";
import type { App } from "../../../app-type.ts";
import { READ_EDL } from "../../../operation.ts";
import { reaches } from "../../../plugins/sequences.ts";
import { Problem } from "../../../problem.ts";
import { EXAMPLE_ID } from "../../../schemas/rule.ts";

const LINES_TYPE = "application/x-ndjson";
/** Rules serialized at a time. */
const PIECE = 200;

const SnapshotQuery = Type.Object({
  ruleset_id: Type.Optional(Type.String({ format: "uuid", description: "only this ruleset", examples: [EXAMPLE_ID] })),
});

/** All rules, from which a reader of the changes starts. */
export function addSnapshotRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "readSnapshot",
    summary: "All rulesets with their rules, to start following the changes from",
    description:
      "One JSON document per line: first `feed` and `sequence`; then for each ruleset `ruleset`, followed by `ruleset_id` and `rule` of each of its rules, expired ones too; last `rules`, their number, without which the response is incomplete. The rules reflect all changes up to `sequence`, and may reflect some after it: applying those again, in order, gives the same result.",
    tags: ["Changes"],
    problems: [400, 503],
    querystring: SnapshotQuery,
    response: { 200: Type.String() },
    otherTypes: [LINES_TYPE],
  };
  app.get("/snapshot", { config: READ_EDL, schema }, async (request, reply) => {
    const { organisationId } = request.caller;
    const { feed, sequence, lastChange } = await services.store.read("events", organisationId, 0, 1);
    if (!(await reaches(organisationId, lastChange, services)))
      throw new Problem("service-unavailable", "this server does not have the latest changes yet; try again in 1 s", {
        headers: { "retry-after": "1" },
      });
    const only = request.query.ruleset_id?.toLowerCase();
    const rulesets = services.memory.rulesets(organisationId).filter(({ about }) => (only ?? about.id) === about.id);
    if (only !== undefined && rulesets.length === 0) throw invalid({ ruleset_id: ["unknown ruleset"] });
    const lines = linesOf(rulesets, JSON.stringify({ feed, sequence }));
    return reply.type(`${LINES_TYPE}; charset=utf-8`).send(Readable.from(lines, { objectMode: false }));
  });
}

async function* linesOf(rulesets: readonly LiveRuleset[], start: string): AsyncGenerator<Buffer> {
  const slice = new Slice();
  let count = 0;
  yield Buffer.from(`${start}\n`);
  for (const { about, rules } of rulesets) {
    const { id, name, purpose, description } = about;
    yield Buffer.from(`${JSON.stringify({ ruleset: { id, name, purpose, description } })}\n`);
    let text = "";
    for (const rule of (await copyOf(rules)).rules()) {
      text += `{"ruleset_id":"${id}","rule":${ruleJson(rule)}}\n`;
      if (++count % PIECE > 0) continue;
      yield Buffer.from(text);
      text = "";
      await slice.pause();
    }
    if (text !== "") yield Buffer.from(text);
  }
  yield Buffer.from(`{"rules":${count}}\n`);
}
