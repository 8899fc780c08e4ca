import { readLine } from "../../../service/access/read-user.ts";
import { invalid } from "../../../service/service-error.ts";
import type { Services } from "../../../service/services.ts";
import { collectionOf, collectionsOf } from "../../../service/taxii/collections.ts";
import { makeTaxiiPassword } from "../../../service/taxii/taxii-password.ts";
import type { App } from "../../app-type.ts";
import { baseOf } from "../../http/page.ts";
import { signature } from "../../http/signed-request.ts";
import { BY_ADMINS, BY_USERS } from "../../operation.ts";
import { notFound } from "../../problem.ts";
import { EXAMPLE_ID } from "../../schemas/rule.ts";
import {
  CreatedTaxiiCredential,
  CreateTaxiiCredentialBody,
  TaxiiCollectionList,
  taxiiCollectionDocument,
  taxiiCredentialDocument,
  TaxiiCredentialList,
  TaxiiCredentialParameters,
  TaxiiCredentialSchema,
} from "../../schemas/taxii.ts";

const tags = ["TAXII"];

/** The credentials of TAXII clients, and the collections that they may open. */
export function addTaxiiCredentialRoutes(app: App, services: Services): void {
  const { store, memory, settings } = services;
  const collections = {
    operationId: "listTaxiiCollections",
    summary: "What the organisation's TAXII credentials can give access to: rulesets, deployments and the dataset",
    tags,
    response: { 200: TaxiiCollectionList },
  };
  app.get("/taxii/collections", { config: BY_USERS, schema: collections }, async (request) => {
    const items = collectionsOf(memory, request.caller.organisationId).map(taxiiCollectionDocument);
    return { items: items as never, count: items.length, discovery_url: `${baseOf(request, settings)}/taxii2/` };
  });

  const list = {
    operationId: "listTaxiiCredentials",
    summary: "The TAXII credentials of the organisation",
    tags,
    response: { 200: TaxiiCredentialList },
  };
  app.get("/taxii/credentials", { config: BY_USERS, schema: list }, async ({ caller }) => {
    const items = memory.taxiiCredentials(caller.organisationId).reverse().map(taxiiCredentialDocument);
    return { items: items as never, count: items.length };
  });

  const create = {
    operationId: "createTaxiiCredential",
    summary: "Creates a TAXII credential; the response is the only one that contains its password",
    tags,
    problems: [400, 409, 413, 415],
    body: CreateTaxiiCredentialBody,
    response: { 201: CreatedTaxiiCredential },
    bodyExample: { label: "OpenCTI", collections: [EXAMPLE_ID] },
  };
  const config = { ...BY_ADMINS, hasSecret: true };
  app.post("/taxii/credentials", { config, schema: create }, async (request, reply) => {
    const label = readLine("label", request.body.label);
    const ids = request.body.collections.map((id) => id.toLowerCase());
    const unknown = ids.find((id) => collectionOf(memory, request.caller.organisationId, id) === undefined);
    if (unknown !== undefined) throw invalid({ collections: [`unknown collection ${unknown}`] });
    const { text, digest, start } = makeTaxiiPassword();
    const { credential } = await store.write({
      kind: "create-taxii-credential",
      ...signature(request),
      label,
      digest,
      start,
      collections: ids,
    });
    return reply.code(201).send({ credential: taxiiCredentialDocument(credential) as never, password: text });
  });

  const revoke = {
    operationId: "revokeTaxiiCredential",
    summary: "Revokes a TAXII credential permanently; repeating it has no effect",
    tags,
    problems: [404],
    params: TaxiiCredentialParameters,
    response: { 200: TaxiiCredentialSchema },
  };
  app.delete("/taxii/credentials/:credential_id", { config: BY_ADMINS, schema: revoke }, async (request) => {
    const id = request.params.credential_id.toLowerCase();
    const isKnown = memory.taxiiCredentials(request.caller.organisationId).some((each) => each.id === id);
    if (!isKnown) throw notFound("unknown TAXII credential; listTaxiiCredentials lists yours");
    const command = { kind: "revoke-taxii-credential", ...signature(request), credentialId: id } as const;
    return taxiiCredentialDocument((await store.write(command)).credential);
  });
}
