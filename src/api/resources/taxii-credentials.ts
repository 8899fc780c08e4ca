import { Type } from "typebox";
import { readLine } from "../../service/access/read-user.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import { collectionOf, collectionsOf } from "../../service/taxii/collections.ts";
import { makeTaxiiPassword } from "../../service/taxii/taxii-password.ts";
import type { TaxiiCredential } from "../../store/records/taxii-credential.ts";
import type { App } from "../app-type.ts";
import { baseOf } from "../http/page.ts";
import { BY_ADMINS, BY_USERS } from "../operation.ts";
import { Count, Id, named, NameText, strict } from "../schemas/common.ts";
import { EXAMPLE_ID } from "../schemas/rule.ts";
import { lifetime, lifetimeOf, NEWEST_FIRST } from "./credential.ts";
import { type Resource, ResourceRoutes } from "./resource.ts";

/** More than the number of collections that an organisation can have. */
const MAX_COLLECTIONS = 1000;

const CredentialSchema = named(
  "TaxiiCredential",
  Type.Object({
    id: Id,
    label: Type.String(),
    username: Type.String({ description: "the first characters of its password", examples: ["ipt_Ab3d"] }),
    collections: Type.Array(Id, { description: "the ids of those it can read" }),
    ...lifetime,
  }),
);
const CreateBody = named(
  "CreateTaxiiCredentialRequest",
  Type.Object(
    {
      label: NameText,
      collections: Type.Array(Id, {
        minItems: 1,
        maxItems: MAX_COLLECTIONS,
        description: "the ids of what it can read: of rulesets, deployments and the dataset",
      }),
    },
    strict,
  ),
);
const CollectionList = named(
  "TaxiiCollectionList",
  Type.Object({
    items: Type.Array(
      Type.Object({
        id: Type.String({ format: "uuid", description: "that of the ruleset or deployment" }),
        title: Type.String(),
        source: named("TaxiiSource", Type.Enum(["ruleset", "deployment", "dataset"])),
      }),
    ),
    count: Count,
    discovery_url: Type.String({ description: "the URL to enter in a TAXII client" }),
  }),
);

const taxiiCredentials: Resource<TaxiiCredential, typeof CredentialSchema> = {
  name: "TaxiiCredential",
  tags: ["TAXII"],
  path: "/taxii/credentials",
  one: "/taxii/credentials/:credential_id",
  params: Type.Object({ credential_id: Id }),
  read: BY_USERS,
  write: BY_ADMINS,
  document: CredentialSchema,
  documents: (some) =>
    some.map(({ id, label, start, collections, ...times }) => ({
      id,
      label,
      username: start,
      collections,
      ...lifetimeOf(times),
    })),
  row: ({ memory }, organisationId, id) => memory.taxiiCredentials(organisationId).find((each) => each.id === id),
  unknown: () => "unknown TAXII credential; listTaxiiCredentials lists yours",
};

/** The credentials of TAXII clients, and the collections that they may open. */
export function addTaxiiCredentialRoutes(app: App, services: Services): void {
  const { store, memory, settings } = services;
  const collections = {
    operationId: "listTaxiiCollections",
    summary: "What the organisation's TAXII credentials can give access to: rulesets, deployments and the dataset",
    tags: taxiiCredentials.tags,
    response: { 200: CollectionList },
  };
  app.get("/taxii/collections", { config: BY_USERS, schema: collections }, async (request) => {
    const items = collectionsOf(memory, request.caller.organisationId);
    return { items, count: items.length, discovery_url: `${baseOf(request, settings)}/taxii2/` };
  });

  const routes = new ResourceRoutes(app, services, taxiiCredentials);
  routes.list({ summary: "The TAXII credentials of the organisation", order: NEWEST_FIRST }, ({ caller }) =>
    memory.taxiiCredentials(caller.organisationId).reverse(),
  );
  routes.create(
    {
      summary: "Creates a TAXII credential; the response is the only one that contains its password",
      body: CreateBody,
      bodyExample: { label: "OpenCTI", collections: [EXAMPLE_ID] },
      secret: {
        name: "CreatedTaxiiCredential",
        of: "credential",
        members: { password: Type.String({ description: "it is not shown again" }) },
      },
    },
    async ({ body, by }) => {
      const label = readLine("label", body.label);
      const ids = body.collections.map((id) => id.toLowerCase());
      const unknown = ids.find((id) => collectionOf(memory, by.organisationId, id) === undefined);
      if (unknown !== undefined) throw invalid({ collections: [`unknown collection ${unknown}`] });
      const { text, ...made } = makeTaxiiPassword();
      const command = { kind: "create-taxii-credential", ...by, label, ...made, collections: ids } as const;
      return { row: (await store.write(command)).credential, password: text };
    },
  );
  routes.revoke(
    { summary: "Revokes a TAXII credential permanently; repeating it has no effect" },
    async ({ id: credentialId }, { by }) =>
      (await store.write({ kind: "revoke-taxii-credential", ...by, credentialId })).credential,
  );
}
