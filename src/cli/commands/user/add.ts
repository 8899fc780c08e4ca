import { ServiceError } from "../../../service/service-error.ts";
import { readUserName } from "../../../service/access/read-user.ts";
import { ROLES } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";
import { checkedRole, invite } from "../../database/service-users.ts";
import { INVITATION_URL_OPTION } from "../../database/base-url.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const addCommand: Command = {
  name: "user add",
  summary: "add a dashboard user and print their invitation link (shown only once)",
  operands: "NAME",
  operandWords: [],
  options: [
    ORGANISATION_OPTION,
    { name: "role", value: "ROLE", choices: ROLES, help: "viewer, editor or admin; default: viewer" },
    INVITATION_URL_OPTION,
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "Viewers can read, editors can also change rulesets, admins can do everything. User names are unique across all organisations; upper and lower case are the same.",
    "Only the link is written to stdout; messages go to stderr. The person who opens it chooses the password.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    {
      command: "ipsieve admin user add ann@example.org --role admin --url https://lists.example.org",
      what: "an admin",
    },
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
