import { isActivePlan } from "../../../service/access/plans.ts";
import { makeApiKey } from "../../../store/records/api-key.ts";
import { ACCESS_LEVELS, type AccessLevel, type Area, AREAS } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../output/standard-error.ts";
import { checkedLine } from "../../database/checked-line.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  dateText,
  midnight,
  ORGANISATION_OPTION,
  organisationOption,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";

export const createCommand: Command = {
  name: "key create",
  summary: "create an API key and print it (shown only once)",
  operands: "LABEL",
  operandWords: [],
  options: [
    ORGANISATION_OPTION,
    { name: "access", value: "LEVEL", choices: ACCESS_LEVELS, help: "read, or read_write; default: read" },
    {
      name: "expires",
      value: "DATE",
      help: "the key expires at the start of this date (YYYY-MM-DD, UTC); default: never",
    },
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "Only the key is written to stdout, so that it can be piped; messages go to stderr. The server stores only its digest: if a key is lost, revoke it and create another.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve key create laptop", what: "a read-only key" },
    {
      command: "ipsieve key create ci --org Example --access read_write --expires 2030-01-01 > key.txt",
      what: "one that can write, until a date",
    },
  ],
  run,
};

/** Requests to an area without a plan get 403. */
function planNote(active: readonly Area[], name: string): string {
  const missing = AREAS.filter((area) => !active.includes(area));
  if (missing.length === 0) return "";
  const about =
    active.length === 0
      ? `${name} has no active plan, so every request with the key gets 403`
      : `${name} has no active plan for ${missing.join(" and ")}, so such requests with the key get 403`;
  return `${about}. Next:\n  ipsieve plan set ${missing.join(" ")}${organisationOption(name)}\n`;
}

async function run(args: Arguments): Promise<number> {
  const expires = args.value("expires");
  const expiresAt = expires === undefined ? null : midnight("expires", expires);
  const access = (args.value("access") ?? "read") as AccessLevel;
  const label = checkedLine("LABEL", args.operands[0]!);
  const { text, digest, start } = makeApiKey();
  const note = await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const { id: organisationId, name } = chosenOrganisation(state, args);
    const command = {
      kind: "create-key",
      organisationId,
      label,
      access,
      digest,
      start,
      expiresAt,
      ...signature(),
    } as const;
    const { key } = await store.write(command);
    const until = expiresAt === null ? "never expires" : `expires ${dateText(expiresAt)}`;
    standardError().write(`key ${key.id} of ${name}, ${access}, ${until}; it is not shown again:\n`);
    const active = state.plans
      .filter((plan) => plan.organisationId === organisationId && isActivePlan(plan, Date.now()))
      .map(({ area }) => area);
    return planNote(active, name);
  });
  process.stdout.write(`${text}\n`);
  standardError().write(note);
  return EXIT.matched;
}
