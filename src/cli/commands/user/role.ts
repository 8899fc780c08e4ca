import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../database/service-database.ts";
import { checkedRole, chosenUser } from "../../database/service-users.ts";

export const roleCommand: Command = {
  name: "user role",
  summary: "change a dashboard user's role",
  operands: "NAME ROLE",
  operandWords: [],
  options: DATABASE_OPTIONS,
  notes: [
    "ROLE is viewer, editor or admin. The last admin of an organisation who can sign in cannot be demoted.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [{ command: "ipsieve admin user role bob@example.org editor", what: "let Bob change rulesets" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const role = checkedRole(args.operands[1]!);
  await withStore(args, false, async (store) => {
    const { id: userId, organisationId } = chosenUser(await store.load(null), args.operands[0]!);
    const { user } = await store.write({ kind: "set-role", organisationId, userId, role, ...signature() });
    process.stdout.write(`${user.name}: ${user.role}\n`);
  });
  return EXIT.matched;
}
