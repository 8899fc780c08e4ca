import { isActivePlan } from "../../../service/access/plans.ts";
import { makeApiKey } from "../../../store/records/api-key.ts";
import { type FindScoped, readNetworks, readScopes } from "../../../service/access/key-scopes.ts";
import { ACCESS_LEVELS, type AccessLevel, type ApiKey } from "../../../store/records/credential.ts";
import { type Area, AREAS, type State } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { chosenByName } from "../../server/choose-by-name.ts";
import { standardError } from "../../runner/standard-error.ts";
import { checkedLine, readAs } from "../../database/checked-line.ts";
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
    {
      name: "scope",
      value: "SCOPE",
      repeats: true,
      help: "what the key may be used for: cbs, cti, edl, rulesets, deployments, lists, or one of these, such as rulesets/NAME; repeat for several; default: everything",
    },
    {
      name: "from",
      value: "NETWORK",
      repeats: true,
      help: "address or prefix of the clients that may use the key; repeat for several; default: from anywhere",
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
    {
      command: "ipsieve key create soc --access read_write --scope rulesets/blocklist --from 192.0.2.0/24",
      what: "one for a single ruleset, from one network",
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

function limitsText({ scopes, networks }: Pick<ApiKey, "scopes" | "networks">): string {
  const parts = [
    ...(scopes.length > 0 ? [`for ${scopes.join(", ")}`] : []),
    ...(networks.length > 0 ? [`from ${networks.join(", ")}`] : []),
  ];
  return parts.map((part) => `, ${part}`).join("");
}

/** The id of a resource of the organisation by its id or name. @throws UsageError */
function resourceIn(state: State, organisationId: string): FindScoped {
  const all = { rulesets: state.rulesets, deployments: state.deployments, lists: state.externalLists };
  return (kind, name) => {
    const own = (all[kind] as readonly Owned[]).filter((each) => each.organisationId === organisationId);
    return chosenByName(own, name, KINDS[kind], ({ id }) => id).id;
  };
}

type Owned = Pick<State["rulesets"][number], "id" | "name" | "organisationId">;

const KINDS = {
  rulesets: { kind: "ruleset", listedBy: "ruleset list" },
  deployments: { kind: "deployment", listedBy: "deployment list" },
  lists: { kind: "list", listedBy: "list list" },
} as const;

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
      kind: "create-credential",
      credential: "api",
      organisationId,
      label,
      access,
      digest,
      start,
      expiresAt,
      scopes: readAs("--scope", "scopes", () => readScopes(args.values("scope"), resourceIn(state, organisationId))),
      networks: readAs("--from", "networks", () => readNetworks(args.values("from"))),
      ...signature(),
    } as const;
    const { credential: key } = await store.write(command);
    const until = expiresAt === null ? "never expires" : `expires ${dateText(expiresAt)}`;
    standardError().write(
      `key ${key.id} of ${name}, ${access}, ${until}${limitsText(command)}; it is not shown again:\n`,
    );
    const active = state.plans
      .filter((plan) => plan.organisationId === organisationId && isActivePlan(plan, Date.now()))
      .map(({ area }) => area);
    return planNote(active, name);
  });
  process.stdout.write(`${text}\n`);
  standardError().write(note);
  return EXIT.matched;
}
