import { makeCredentialText } from "../../service/access/credential-text.ts";
import { datasetCollectionId } from "../../store/records/indicator.ts";
import type { State } from "../../store/state.ts";
import { ORGANISATION_OPTION } from "../database/service-database.ts";
import { UsageError } from "../runner/usage-error.ts";
import type { CredentialCommands } from "./credential-commands.ts";

/** What the dataset of threat intelligence is called among the collections. */
const DATASET = "cti";

export const taxii: CredentialCommands<"taxii"> = {
  kind: "taxii",
  group: "taxii",
  one: "TAXII credential",
  several: "credentials have the user name",
  create: {
    summary: "create a TAXII credential and print its password (shown only once)",
    operands: "LABEL COLLECTION...",
    options: [ORGANISATION_OPTION],
    notes: [
      `COLLECTION is what the credential can read: a ruleset or deployment, by name or id, or "${DATASET}", the threat intelligence.`,
      "Only the password is written to stdout. The name of the user is its first 8 characters.",
    ],
    examples: [
      { command: "ipsieve admin taxii create OpenCTI Blocklist", what: "for a client that reads one ruleset" },
      { command: "ipsieve admin taxii create MISP Edge cti", what: "a deployment, and the threat intelligence" },
    ],
    read:
      ({ operands: [, ...names] }) =>
      ({ state, organisation }) => {
        const { text, ...made } = makeCredentialText("taxii");
        const collections = names.map((name) => chosenCollection(state, organisation.id, name));
        return {
          text,
          stored: { ...made, collections },
          told: (id) => `TAXII credential ${id}: user ${made.start}; its password is`,
        };
      },
  },
  list: {
    summary: "list the TAXII credentials of all organisations, or of one",
    notes: ["A credential is listed by its id and user name; its password is not stored anywhere."],
    start: "user",
    columns: { collections: ({ collections }) => String(collections.length) },
  },
  revoke: {
    summary: "revoke a TAXII credential permanently",
    operand: "CREDENTIAL",
    notes: ['CREDENTIAL is the id, or the user name, that "ipsieve admin taxii list" shows.'],
    example: { command: "ipsieve admin taxii revoke ipt_Ab3d", what: "by its user name" },
  },
};

/** By id or name. @throws UsageError */
function chosenCollection({ rulesets, deployments }: State, organisationId: string, text: string): string {
  const all = [...rulesets, ...deployments.filter(({ deletedAt }) => deletedAt === null)];
  const own = all.filter((each) => each.organisationId === organisationId);
  const found = own.filter(({ id, name }) => id === text || name === text);
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0 && text === DATASET) return datasetCollectionId(organisationId);
  const names = [...own.map(({ name }) => name).sort(), DATASET].join(", ");
  throw new UsageError(
    found.length === 0
      ? `there is no ruleset or deployment ${JSON.stringify(text)}; there are: ${names}`
      : `several are named ${JSON.stringify(text)}; give the id: ${found.map(({ id }) => id).join(", ")}`,
  );
}
