import { makeCredentialText } from "../../service/access/credential-text.ts";
import { type FindScoped, readNetworks, readScopes } from "../../service/access/key-scopes.ts";
import { isActivePlan } from "../../service/access/plans.ts";
import { ACCESS_LEVELS, type AccessLevel, type ApiKey } from "../../store/records/credential.ts";
import { type Deployment, deploymentsOpenedBy } from "../../store/records/deployment.ts";
import { type Area, AREAS, type Organisation, type State } from "../../store/state.ts";
import { readAs } from "../database/checked-line.ts";
import { dateText, midnight, ORGANISATION_OPTION, organisationOption } from "../database/service-database.ts";
import { chosenByName } from "../server/choose-by-name.ts";
import type { CredentialCommands } from "./credential-commands.ts";

export const api: CredentialCommands<"api"> = {
  kind: "api",
  group: "key",
  one: "key",
  several: "keys begin with",
  create: {
    summary: "create an API key and print it (shown only once)",
    operands: "LABEL",
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
    ],
    notes: [
      "Only the key is written to stdout, so that it can be piped; messages go to stderr. The server stores only its digest: if a key is lost, revoke it and create another.",
    ],
    examples: [
      { command: "ipsieve admin key create laptop", what: "a read-only key" },
      {
        command: "ipsieve admin key create ci --org Example --access read_write --expires 2030-01-01 > key.txt",
        what: "one that can write, until a date",
      },
      {
        command: "ipsieve admin key create soc --access read_write --scope rulesets/blocklist --from 192.0.2.0/24",
        what: "one for a single ruleset, from one network",
      },
    ],
    read(args) {
      const expires = args.value("expires");
      const expiresAt = expires === undefined ? null : midnight("expires", expires);
      const access = (args.value("access") ?? "read") as AccessLevel;
      const until = expiresAt === null ? "never expires" : `expires ${dateText(expiresAt)}`;
      return ({ state, organisation, at }) => {
        const find = resourceIn(state, organisation.id);
        const scopes = readAs("--scope", "scopes", () => readScopes(args.values("scope"), find));
        const networks = readAs("--from", "networks", () => readNetworks(args.values("from")));
        const { text, ...made } = makeCredentialText("api");
        const limits = limitsText({ scopes, networks });
        return {
          text,
          stored: { ...made, access, expiresAt, scopes, networks },
          told: (id) => `key ${id} of ${organisation.name}, ${access}, ${until}${limits}; it is`,
          next: planNote(state, organisation, at),
        };
      };
    },
  },
  list: {
    summary: "list the API keys of all organisations, or of one",
    notes: ["A key is listed by its id and first characters; the rest is not stored anywhere."],
    start: "key",
    columns: {
      access: ({ access }) => access,
      scopes: ({ scopes }) => allOr(scopes),
      networks: ({ networks }) => allOr(networks),
    },
  },
  revoke: {
    summary: "revoke an API key permanently",
    operand: "KEY",
    notes: [
      'KEY is the id, or the first 8 characters, that "ipsieve admin key list" shows.',
      "The URLs of deployments that the key has read still work: the command prints how to replace them.",
    ],
    example: { command: "ipsieve admin key revoke ips_Ab3d", what: "by its first characters" },
    async next({ id, organisationId }, { deployments, organisations }, store) {
      const opened = deploymentsOpenedBy(await store.read("urlReaders", organisationId), deployments, Date.now());
      return urlsNote(opened(id), organisations.find((each) => each.id === organisationId)!.name);
    },
  },
};

function allOr(texts: readonly string[]): string {
  return texts.length === 0 ? "all" : texts.join(" ");
}

/** Requests to an area without a plan get 403. */
function planNote({ plans }: State, { id, name }: Organisation, now: number): string {
  const active = plans.filter((plan) => plan.organisationId === id && isActivePlan(plan, now)).map(({ area }) => area);
  const missing = AREAS.filter((area: Area) => !active.includes(area));
  if (missing.length === 0) return "";
  const about =
    active.length === 0
      ? `${name} has no active plan, so every request with the key gets 403`
      : `${name} has no active plan for ${missing.join(" and ")}, so such requests with the key get 403`;
  return `${about}. Next:\n  ipsieve admin plan set ${missing.join(" ")}${organisationOption(name)}\n`;
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

/** What is left to do where the key has read URLs of deployments. */
function urlsNote(opened: readonly Deployment[], organisation: string): string {
  if (opened.length === 0) return "";
  const commands = opened.map(
    ({ id, name }) =>
      `  ipsieve deployment rotate ${id}${organisationOption(organisation)}  # ${JSON.stringify(name)}\n`,
  );
  return `the key has read URLs of these deployments, which still work for anyone who has them; to replace the URLs:\n${commands.join("")}`;
}
