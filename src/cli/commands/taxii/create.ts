import { makeCredentialText } from "../../../service/access/credential-text.ts";
import { datasetCollectionId } from "../../../store/records/indicator.ts";
import type { State } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../runner/standard-error.ts";
import { checkedLine } from "../../database/checked-line.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";

/** What the dataset of threat intelligence is called among the collections. */
const DATASET = "cti";

export const createCommand: Command = {
  name: "taxii create",
  summary: "create a TAXII credential and print its password (shown only once)",
  operands: "LABEL COLLECTION...",
  operandWords: [],
  options: [ORGANISATION_OPTION, ...DATABASE_OPTIONS],
  notes: [
    `COLLECTION is what the credential can read: a ruleset or deployment, by name or id, or "${DATASET}", the threat intelligence.`,
    "Only the password is written to stdout. The name of the user is its first 8 characters.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve taxii create OpenCTI Blocklist", what: "for a client that reads one ruleset" },
    { command: "ipsieve taxii create MISP Edge cti", what: "a deployment, and the threat intelligence" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [labelText, ...names] = args.operands as [string, ...string[]];
  const label = checkedLine("LABEL", labelText);
  const { text, digest, start } = makeCredentialText("taxii");
  await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const { id: organisationId } = chosenOrganisation(state, args);
    const { credential } = await store.write({
      kind: "create-credential",
      credential: "taxii",
      organisationId,
      label,
      digest,
      start,
      collections: names.map((name) => chosenCollection(state, organisationId, name)),
      ...signature(),
    });
    standardError().write(`TAXII credential ${credential.id}: user ${start}; its password is not shown again:\n`);
  });
  process.stdout.write(`${text}\n`);
  return EXIT.matched;
}

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
