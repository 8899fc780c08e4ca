import { ServiceError } from "../../../service/service-error.ts";
import { readUserName } from "../../../service/access/read-user.ts";
import { ROLES } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../service-database.ts";
import { checkedRole, invite, URL_OPTION } from "../../service-users.ts";
import { UsageError } from "../../usage-error.ts";

export const addCommand: Command = {
  name: "user add",
  summary: "add a user of the dashboard and print the link of an invitation, once",
  operands: "NAME",
  minOperands: 1,
  maxOperands: 1,
  operandWords: [],
  options: [
    ORGANISATION_OPTION,
    { name: "role", value: "ROLE", choices: ROLES, help: "viewer, editor or admin; default: viewer" },
    URL_OPTION,
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "Viewers read, editors also write rulesets, admins do everything. A name is used once in the whole service; capitals do not matter.",
    "The link goes to stdout, alone; what is said about it goes to stderr. Who has it chooses the password.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve user add ann@example.org --role admin --url https://lists.example.org", what: "an admin" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const name = checkedName(args.operands[0]!);
  const role = checkedRole(args.value("role") ?? "viewer");
  await withStore(args, false, async (store) => {
    const { id: organisationId } = chosenOrganisation(await store.load(null), args);
    await invite(args, (invitation) =>
      store.write({ kind: "create-user", organisationId, name, role, invitation, ...signature() }),
    );
  });
  return EXIT.matched;
}

function checkedName(text: string): string {
  try {
    return readUserName(text);
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.message) : error;
  }
}
