import type { User } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { columnLines } from "../../output/columns.ts";
import { styleFor } from "../../output/style.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  dateText,
  ORGANISATION_OPTION,
  withStore,
} from "../../service-database.ts";

export const listCommand: Command = {
  name: "user list",
  summary: "list the dashboard users of all organisations, or of one",
  operands: "",
  minOperands: 0,
  maxOperands: 0,
  options: [
    { ...ORGANISATION_OPTION, help: "only of this organisation, by name or id" },
    { name: "json", help: "print one JSON document" },
    ...DATABASE_OPTIONS,
  ],
  examples: [{ command: "ipsieve user list --org Example", what: "of one organisation" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const state = await withStore(args, false, (store) => store.load(null));
  const only = args.has("org") ? chosenOrganisation(state, args).id : undefined;
  const names = new Map(state.organisations.map(({ id, name }) => [id, name]));
  const users = state.users.filter(
    ({ organisationId, deletedAt }) => deletedAt === null && (only === undefined || organisationId === only),
  );
  if (args.has("json")) process.stdout.write(`${JSON.stringify(users)}\n`);
  else {
    const rows = users.map((user) => [
      user.name,
      names.get(user.organisationId)!,
      user.role,
      dateText(user.createdAt),
      dateText(user.lastSignInAt),
      invitationText(user),
    ]);
    const lines = columnLines(
      [["name", "organisation", "role", "created", "last sign-in", "invited until"], ...rows],
      new Set(),
      styleFor(process.stdout),
    );
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return users.length > 0 ? EXIT.matched : EXIT.nothing;
}

function invitationText({ invitedUntil }: User): string {
  return invitedUntil !== null && invitedUntil > Date.now() ? dateText(invitedUntil) : "";
}
