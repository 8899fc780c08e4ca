import { Type } from "typebox";
import { makeCredentialText } from "../../service/access/credential-text.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import { collectionOf, collectionsOf } from "../../service/taxii/collections.ts";
import type { App } from "../app-type.ts";
import { baseOf } from "../http/page.ts";
import { BY_USERS } from "../operation.ts";
import { Count, Id, named, NameText, strict } from "../schemas/common.ts";
import { EXAMPLE_ID } from "../schemas/rule.ts";
import { addCredentialRoutes, lifetime, lifetimeOf } from "./credential.ts";

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

/** The credentials of TAXII clients, and the collections that they may open. */
export function addTaxiiCredentialRoutes(app: App, services: Services): void {
  const { memory, settings } = services;
  const tags = ["TAXII"];
  const collections = {
    operationId: "listTaxiiCollections",
    summary: "What the organisation's TAXII credentials can give access to: rulesets, deployments and the dataset",
    tags,
    response: { 200: CollectionList },
  };
  app.get("/taxii/collections", { config: BY_USERS, schema: collections }, async (request) => {
    const items = collectionsOf(memory, request.caller.organisationId);
    return { items, count: items.length, discovery_url: `${baseOf(request, settings)}/taxii2/` };
  });

  addCredentialRoutes(app, services, {
    kind: "taxii",
    name: "TaxiiCredential",
    tags,
    path: "/taxii/credentials",
    one: "/taxii/credentials/:credential_id",
    params: Type.Object({ credential_id: Id }),
    document: CredentialSchema,
    documents: (some) =>
      some.map(({ id, label, start, collections: ids, ...times }) => ({
        id,
        label,
        username: start,
        collections: ids,
        ...lifetimeOf(times),
      })),
    unknown: () => "unknown TAXII credential; listTaxiiCredentials lists yours",
    list: { summary: "The TAXII credentials of the organisation" },
    create: {
      summary: "Creates a TAXII credential; the response is the only one that contains its password",
      body: CreateBody,
      bodyExample: { label: "OpenCTI", collections: [EXAMPLE_ID] },
      secret: {
        name: "CreatedTaxiiCredential",
        of: "credential",
        members: { password: Type.String({ description: "it is not shown again" }) },
      },
    },
    make(body, { organisationId }) {
      const ids = body.collections.map((id) => id.toLowerCase());
      const unknown = ids.find((id) => collectionOf(memory, organisationId, id) === undefined);
      if (unknown !== undefined) throw invalid({ collections: [`unknown collection ${unknown}`] });
      const { text, ...made } = makeCredentialText("taxii");
      return { credential: { ...made, collections: ids }, secret: { password: text } };
    },
    revoke: { summary: "Revokes a TAXII credential permanently; repeating it has no effect" },
  });
}
