import { START_CHARACTERS } from "../../store/records/api-key.ts";
import {
  type CommonCredential,
  type Credential,
  type CredentialKind,
  CREDENTIALS,
  type GivenScopes,
  ofKind,
} from "../../store/records/credential.ts";
import type { CreateCredentialCommand } from "../../store/command.ts";
import type { Organisation, State } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import { checkedLine } from "../database/checked-line.ts";
import { LIST_OF_ORGANISATIONS_OPTIONS, printOrganisationList } from "../database/list-of-organisations.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  dateText,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../database/service-database.ts";
import { standardError } from "../runner/standard-error.ts";
import { type Arguments, type Command, EXIT, type Example, type Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";

/** What the commands about one kind of credential have of their own. */
export interface CredentialCommands<Kind extends CredentialKind> {
  readonly kind: Kind;
  /** The first word of its commands. */
  readonly group: string;
  /** What errors call one, and what several have in common. */
  readonly one: string;
  readonly several: string;
  readonly create: {
    readonly summary: string;
    /** Among them is LABEL. */
    readonly operands: string;
    readonly options: readonly Option[];
    readonly notes: readonly string[];
    readonly examples: readonly Example[];
    /** Reads the arguments; the result then makes one with what is in the database. Both throw UsageError. */
    read(args: Arguments): (world: World) => NewCredential<Kind> | Promise<NewCredential<Kind>>;
  };
  readonly list: {
    readonly summary: string;
    readonly notes: readonly string[];
    /** What `start` is, and the columns after the label. */
    readonly start: string;
    readonly columns: Readonly<Record<string, (credential: Credential<Kind>) => string>>;
    /** Something else as JSON than all of its properties. */
    document?(credential: Credential<Kind>): object;
  };
  readonly revoke: {
    readonly summary: string;
    readonly operand: string;
    readonly notes: readonly string[];
    readonly example: Example;
    /** What is left to do afterwards, on stderr. */
    next?(credential: Credential<Kind>, state: State, store: Store): Promise<string>;
  };
}

interface World {
  readonly args: Arguments;
  readonly state: State;
  readonly store: Store;
  readonly organisation: Organisation;
  readonly at: number;
}

export interface NewCredential<Kind extends CredentialKind> {
  readonly text: string;
  /** What is stored of it. */
  readonly stored: Pick<CommonCredential, "digest" | "start"> &
    Partial<Pick<CommonCredential, "expiresAt">> &
    GivenScopes[Kind];
  /** What it is, on stderr before its text. */
  told(id: string): string;
  /** What is left to do, after its text. */
  readonly next?: string;
}

export function createCommandOf<Kind extends CredentialKind>(own: CredentialCommands<Kind>): Command {
  const { summary, operands, options, notes, examples } = own.create;
  return {
    name: `${own.group} create`,
    summary,
    operands,
    operandWords: [],
    options: [...options, ...DATABASE_OPTIONS],
    notes: [...notes, RUNNING_SERVER_NOTE],
    examples,
    run: (args) => create(own, args),
  };
}

async function create<Kind extends CredentialKind>(own: CredentialCommands<Kind>, args: Arguments): Promise<number> {
  const label = checkedLine("LABEL", args.operands[own.create.operands.split(" ").indexOf("LABEL")]!);
  const make = own.create.read(args);
  const { text, next = "" } = await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const organisation = chosenOrganisation(state, args);
    const by = signature();
    const made = await make({ args, state, store, organisation, at: by.at });
    const about = { kind: "create-credential", credential: own.kind, organisationId: organisation.id, label, ...by };
    // The compiler does not see that the kind and its scope belong together.
    const command = { ...about, ...made.stored } as unknown as CreateCredentialCommand;
    const { credential } = await store.write(command);
    standardError().write(`${made.told(credential.id)} not shown again:\n`);
    return made;
  });
  process.stdout.write(`${text}\n`);
  standardError().write(next);
  return EXIT.matched;
}

export function listCommandOf<Kind extends CredentialKind>(own: CredentialCommands<Kind>): Command {
  const { summary, notes, start, columns, document = (credential) => credential } = own.list;
  return {
    name: `${own.group} list`,
    summary,
    operands: "",
    options: LIST_OF_ORGANISATIONS_OPTIONS,
    notes,
    examples: [{ command: `ipsieve admin ${own.group} list --org Example`, what: "of one organisation" }],
    run: (args) =>
      printOrganisationList<Credential<Kind>>(args, {
        items: ({ credentials }) => ofKind(own.kind, credentials),
        document: (credential) => ({ ...document(credential), digest: undefined }),
        header: ["id", start, "organisation", "label", ...Object.keys(columns), "state"],
        row: (credential, organisation) => [
          credential.id,
          startText(credential),
          organisation,
          credential.label,
          ...Object.values(columns).map((column) => column(credential)),
          stateText(credential),
        ],
      }),
  };
}

/** A type, a user name, or the beginning of a text that is not stored. */
export function startText({ kind, start }: CommonCredential): string {
  return kind === "edge" || kind === "taxii" ? start : `${start}...`;
}

export function stateText({ revokedAt, expiresAt }: CommonCredential): string {
  if (revokedAt !== null) return `revoked ${dateText(revokedAt)}`;
  if (expiresAt === null) return "valid";
  return `${expiresAt > Date.now() ? "valid until" : "expired"} ${dateText(expiresAt)}`;
}

export function revokeCommandOf<Kind extends CredentialKind>(own: CredentialCommands<Kind>): Command {
  const { summary, operand, notes, example } = own.revoke;
  return {
    name: `${own.group} revoke`,
    summary,
    operands: operand,
    operandWords: [],
    options: DATABASE_OPTIONS,
    notes: [...notes, RUNNING_SERVER_NOTE],
    examples: [example],
    run: (args) => revoke(own, args),
  };
}

async function revoke<Kind extends CredentialKind>(own: CredentialCommands<Kind>, args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const chosen = chosenCredential(own, ofKind(own.kind, state.credentials), args.operands[0]!);
    const { id: credentialId, organisationId, label } = chosen;
    const about = { kind: "revoke-credential", credential: own.kind } as const;
    await store.write({ ...about, organisationId, credentialId, ...signature() });
    process.stdout.write(`revoked ${credentialId} (${label})\n`);
    standardError().write((await own.revoke.next?.(chosen, state, store)) ?? "");
  });
  return EXIT.matched;
}

/** The one that has this id or, unless that is a type, these first characters. @throws UsageError */
function chosenCredential<Kind extends CredentialKind>(
  { kind, group, one, several }: CredentialCommands<Kind>,
  credentials: readonly Credential<Kind>[],
  text: string,
): Credential<Kind> {
  const { prefix } = CREDENTIALS[kind];
  const found = credentials.filter(({ id, start }) => id === text.toLowerCase() || (prefix !== null && start === text));
  if (found.length === 1) return found[0]!;
  // A whole secret must not be repeated on the screen.
  const isSecret = prefix !== null && text.length > START_CHARACTERS && text.startsWith(prefix);
  const shown = JSON.stringify(isSecret ? `${text.slice(0, START_CHARACTERS)}...` : text);
  throw new UsageError(
    found.length === 0
      ? `there is no ${one} ${shown}; "ipsieve admin ${group} list" lists them`
      : `several ${several} ${shown}; give the id`,
  );
}
