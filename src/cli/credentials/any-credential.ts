import type { Credential } from "../../store/records/credential.ts";
import { LIST_OF_ORGANISATIONS_OPTIONS, printOrganisationList } from "../database/list-of-organisations.ts";
import type { Arguments, Command, Option } from "../runner/command.ts";
import { parseArguments } from "../runner/parse-arguments.ts";
import { UsageError } from "../runner/usage-error.ts";
import { api } from "./api.ts";
import { bouncer } from "./bouncer.ts";
import { createCommandOf, listCommandOf, revokeCommandOf, startText, stateText } from "./credential-commands.ts";
import { edge } from "./edge.ts";
import { taxii } from "./taxii.ts";

/** The commands of each kind, which also have a group of their own: `key create` is `credential create --kind api`. */
const KINDS: Readonly<Record<string, Readonly<Record<"create" | "list" | "revoke", Command>>>> = {
  api: { create: createCommandOf(api), list: listCommandOf(api), revoke: revokeCommandOf(api) },
  bouncer: { create: createCommandOf(bouncer), list: listCommandOf(bouncer), revoke: revokeCommandOf(bouncer) },
  edge: { create: createCommandOf(edge), list: listCommandOf(edge), revoke: revokeCommandOf(edge) },
  taxii: { create: createCommandOf(taxii), list: listCommandOf(taxii), revoke: revokeCommandOf(taxii) },
};
const NAMES = Object.keys(KINDS);
const KIND: Option = {
  name: "kind",
  value: "KIND",
  choices: NAMES,
  help: "an API key (api), or a credential of a CrowdSec bouncer, an edge component or a TAXII client",
};

/** Any of the options of the kinds, each once: the kind says which of them it takes. */
function optionsOf(verb: "create" | "revoke"): Option[] {
  const all = Object.values(KINDS).flatMap((commands) => commands[verb].options);
  return [KIND, ...new Map(all.map((option) => [option.name, option])).values()];
}

/** Runs the command of the kind with the same arguments, so that its errors are about what the kind takes. */
function forward(verb: "create" | "revoke", options: readonly Option[], args: Arguments): Promise<number> {
  const kind = args.value("kind");
  if (kind === undefined) throw new UsageError(`admin credential ${verb} needs --kind: ${NAMES.join(", ")}`);
  const command = KINDS[kind]![verb];
  const given = options.filter(({ name }) => name !== KIND.name && args.has(name));
  const flags = given.flatMap(({ name, value }) =>
    value === undefined ? [`--${name}`] : args.values(name).map((each) => `--${name}=${each}`),
  );
  return command.run(parseArguments({ ...command, name: `admin ${command.name}` }, [...flags, "--", ...args.operands]));
}

const CREATE_OPTIONS: readonly Option[] = [
  ...optionsOf("create"),
  ...["label", "deployment", "type"].map((name) => ({
    name,
    value: name.toUpperCase(),
    help: `the ${name}, instead of by its place among the arguments`,
  })),
];
const REVOKE_OPTIONS = optionsOf("revoke");

export const createCommand: Command = {
  name: "credential create",
  summary: "create a credential of a kind and print it (shown only once)",
  operands: "[ARGUMENT...]",
  operandWords: [],
  options: CREATE_OPTIONS,
  notes: Object.entries(KINDS).map(
    ([kind, { create }]) =>
      `--kind ${kind} takes ${create.operands}; "ipsieve help admin ${create.name}" says what these are, and which options it has.`,
  ),
  examples: [
    { command: "ipsieve admin credential create --kind api laptop --access read", what: "an API key" },
    {
      command: "ipsieve admin credential create --kind bouncer --deployment Edge --label firewall-1",
      what: "of a bouncer",
    },
  ],
  run: (args) => forward("create", CREATE_OPTIONS, args),
};

export const listCommand: Command = {
  name: "credential list",
  summary: "list the credentials of all kinds, or of one",
  operands: "",
  options: [KIND, ...LIST_OF_ORGANISATIONS_OPTIONS],
  notes: ["A credential is listed by its id and first characters; the rest is not stored anywhere."],
  examples: [
    { command: "ipsieve admin credential list --kind taxii --org Example", what: "of one kind and organisation" },
  ],
  run(args) {
    const kind = args.value("kind");
    if (kind !== undefined) return KINDS[kind]!.list.run(args);
    return printOrganisationList<Credential>(args, {
      items: ({ credentials }) => credentials,
      document: (credential) => ({ ...credential, digest: undefined }),
      header: ["id", "kind", "credential", "organisation", "label", "state"],
      row: (each, organisation) => [each.id, each.kind, startText(each), organisation, each.label, stateText(each)],
    });
  },
};

export const revokeCommand: Command = {
  name: "credential revoke",
  summary: "revoke a credential of a kind permanently",
  operands: "CREDENTIAL",
  operandWords: [],
  options: REVOKE_OPTIONS,
  notes: ['CREDENTIAL is the id, or the first 8 characters, that "ipsieve admin credential list" shows.'],
  examples: [{ command: "ipsieve admin credential revoke --kind api ips_Ab3d", what: "by its first characters" }],
  run: (args) => forward("revoke", REVOKE_OPTIONS, args),
};
