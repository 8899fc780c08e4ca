import { classesInOrder } from "../../../../collateral/node-classes.ts";
import type { Services } from "../../../../service/services.ts";
import type { App } from "../../../app-type.ts";
import { signed } from "../../../http/signed-request.ts";
import { IDEMPOTENT } from "../../../openapi/documented-headers.ts";
import { READ_EDL, WRITE_EDL } from "../../../operation.ts";
import { GuardSchema, UpdateGuardBody } from "../../../schemas/guard.ts";

const tags = ["IP rulesets"];
const PATH = "/edl/guard";

/** What the guards of an organisation protect. */
export function addGuardRoutes(app: App, { store, memory }: Services): void {
  const get = {
    operationId: "getGuard",
    summary: "What the guards of the organisation protect, unless a ruleset or a deployment says something else",
    tags,
    response: { 200: GuardSchema },
  };
  app.get(PATH, { config: READ_EDL, schema: get }, ({ caller }) => ({
    guard_classes: memory.organisation(caller.organisationId)?.guardClasses ?? null,
  }));

  const update = {
    operationId: "updateGuard",
    summary: "Changes what the guards of the organisation protect",
    tags,
    problems: [400, 413, 415, 422],
    body: UpdateGuardBody,
    response: { 200: GuardSchema },
    requestHeaders: IDEMPOTENT,
    bodyExample: { guard_classes: ["serving", "rented", "scanner"] },
  };
  app.patch(PATH, { config: WRITE_EDL, schema: update }, async (request) => {
    const { guard_classes: classes } = request.body;
    const guardClasses = classes && classesInOrder(classes);
    const { organisation } = await store.write({ kind: "set-guard-classes", ...signed(request), guardClasses });
    return { guard_classes: organisation.guardClasses };
  });
}
