import { type Static, type TObject, type TProperties, type TSchema, type TString, Type } from "typebox";
import { readLine } from "../../service/access/read-user.ts";
import type { Services } from "../../service/services.ts";
import type { CreateCredentialCommand } from "../../store/command.ts";
import type { CommonCredential, Credential, CredentialKind, GivenScopes } from "../../store/records/credential.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import { BY_ADMINS, BY_USERS } from "../operation.ts";
import { type DocumentOf, named, NullableTimestamp, timeOrNull, Timestamp } from "../schemas/common.ts";
import { type By, type Resource, ResourceRoutes } from "./resource.ts";

/** What the documents of credentials that never expire say of their time. */
export const lifetime = {
  created_at: Timestamp,
  revoked_at: NullableTimestamp,
  state: named("CredentialState", Type.Enum(["active", "revoked"])),
};

export function lifetimeOf({ createdAt, revokedAt }: Pick<CommonCredential, "createdAt" | "revokedAt">) {
  return {
    created_at: formatTimestamp(createdAt),
    revoked_at: timeOrNull(revokedAt),
    state: revokedAt === null ? ("active" as const) : ("revoked" as const),
  };
}

/** A kind of credential, as far as it differs from the others. */
interface CredentialResource<
  Kind extends CredentialKind,
  Document extends TSchema,
  Body extends TObject<{ label: TString }>,
  Members extends TProperties,
> extends Omit<Resource<Credential<Kind>, Document>, "read" | "write" | "row"> {
  readonly kind: Kind;
  readonly list: { readonly summary: string };
  readonly revoke: { readonly summary: string; readonly description?: string };
  readonly create: {
    readonly summary: string;
    readonly body: Body;
    readonly bodyExample: Static<Body>;
    /**
     * `of`: the member of the response that is the document, beside those with the text, which no other response
     * contains.
     */
    readonly secret: { readonly name: string; readonly of: string; readonly members: Members };
  };
  /** What a new one opens, and its text. @throws ServiceError "invalid" */
  make(body: Static<Body>, by: By, services: Services): Made<Kind, Members>;
}

interface Made<Kind extends CredentialKind, Members extends TProperties> {
  readonly credential: Pick<CommonCredential, "digest" | "start"> &
    Partial<Pick<CommonCredential, "expiresAt">> &
    GivenScopes[Kind];
  readonly secret: DocumentOf<TObject<Members>>;
}

/** Adds the operations of a kind: users see the credentials of their organisation, and admins create and revoke them. */
export function addCredentialRoutes<
  Kind extends CredentialKind,
  Document extends TSchema,
  Body extends TObject<{ label: TString }>,
  Members extends TProperties,
>(app: App, services: Services, resource: CredentialResource<Kind, Document, Body, Members>): void {
  const { store, memory } = services;
  const { kind, list, create, make, revoke } = resource;
  const row = (_services: Services, organisationId: string, id: string) => memory.credential(kind, organisationId, id);
  const routes = new ResourceRoutes(app, services, { ...resource, read: BY_USERS, write: BY_ADMINS, row });
  routes.list({ ...list, order: "newest first, including revoked ones" }, ({ caller }) =>
    memory.credentials(kind, caller.organisationId).reverse(),
  );
  routes.create(create, async ({ body, by }) => {
    const label = readLine("label", (body as { readonly label: string }).label);
    const { credential, secret } = make(body, by, services);
    // The compiler does not see that the kind and its scope belong together.
    const command = { kind: "create-credential", credential: kind, ...by, label, ...credential } as unknown;
    return { row: rowOf(await store.write(command as CreateCredentialCommand)), ...secret };
  });
  routes.revoke(revoke, async ({ id: credentialId }, { by }) =>
    rowOf(await store.write({ kind: "revoke-credential", ...by, credential: kind, credentialId })),
  );

  function rowOf({ credential }: { readonly credential: Credential }): Credential<Kind> {
    return credential as unknown as Credential<Kind>;
  }
}
