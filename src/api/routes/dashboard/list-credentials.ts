import type { GivenCredentials } from "../../../service/lists/list-secrets.ts";
import type { Services } from "../../../service/services.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { BY_ADMINS } from "../../operation.ts";
import { ExternalListSchema, ListCredentialsBody, ListParameters } from "../../schemas/external-list.ts";
import { documentsOf, findExternalList } from "../public/deployments/external-lists.ts";

/** Credentials for external lists, which only admins may give. */
export function addListCredentialRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "setListCredentials",
    summary: "Sets or removes the credentials with which an external list is fetched; no response contains them",
    tags: ["External lists"],
    problems: [400, 404, 409, 413, 415],
    params: ListParameters,
    body: ListCredentialsBody,
    response: { 200: ExternalListSchema },
    bodyExample: { credentials: { type: "header", header: "X-Api-Key", value: "example-key-of-the-publisher" } },
  };
  app.post("/edl/lists/:list_id(^[^:]+)::credentials", { config: BY_ADMINS, schema }, async (request) => {
    const { id: listId, organisationId, definition } = findExternalList(request, services);
    const given = request.body.credentials as GivenCredentials | null;
    const { origin } = new URL(definition.url);
    const sealed = given === null ? undefined : services.listSecrets.seal(given, { organisationId, listId, origin });
    const { credentials = null, secret = null } = sealed ?? {};
    const about = { ...signature(request), listId, credentials, secret };
    const { list } = await services.store.write({ kind: "set-list-credentials", ...about });
    return (await documentsOf(request, services))(list);
  });
}
