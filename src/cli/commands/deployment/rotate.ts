import { makeToken } from "../../../service/access/secret-token.ts";
import { deploymentIn } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../runner/standard-error.ts";
import { endsOf, graceOf, graceOption } from "../../options/grace-hours.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";

const MAX_HOURS = 720;

export const rotateCommand: Command = {
  name: "deployment rotate",
  summary: "replace the URLs of a deployment, or its password",
  operands: "DEPLOYMENT",
  operandWords: [],
  options: [
    graceOption("the replaced URLs still work", MAX_HOURS),
    { name: "password", help: "make a new password instead, and print it (shown only once)" },
    ORGANISATION_OPTION,
    ...DATABASE_OPTIONS,
  ],
  notes: [
    "DEPLOYMENT is its id or name. This command works on the database, not over the network: no API key may replace credentials.",
    'Give devices the new URLs ("ipsieve deployment urls") before the previous ones stop working. The password is for devices that use HTTP Basic at /feeds/ID/FILE, with any user name; the previous one stops working at once.',
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve deployment rotate Edge --grace-hours 48", what: "new URLs; the old ones work two more days" },
    { command: "ipsieve deployment rotate Edge --password > password.txt", what: "for HTTP Basic" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const isPassword = args.has("password");
  if (isPassword && args.value("grace-hours") !== undefined)
    throw new UsageError("--grace-hours is for URLs: a password is replaced at once; leave it out");
  const grace = graceOf(args, MAX_HOURS);
  const { text, digest } = makeToken();
  const { name, ends } = await withStore(args, false, async (store) => {
    const state = await store.load(null);
    const { id: organisationId } = chosenOrganisation(state, args);
    const own = state.deployments.filter((each) => each.organisationId === organisationId && each.deletedAt === null);
    const deployment = deploymentIn(own, args.operands[0]!);
    const about = { organisationId, deploymentId: deployment.id, ...signature() };
    const credential = isPassword ? { password: digest } : { url: true as const };
    const rotation = { kind: "rotate-deployment", ...about, credential, graceUntil: about.at + grace } as const;
    const { previous } = (await store.write(rotation)).deployment;
    return { name: JSON.stringify(deployment.name), ends: endsOf(previous, about.at) };
  });
  if (isPassword) {
    process.stdout.write(`${text}\n`);
    standardError().write(`the new password of ${name}; it is not shown again\n`);
  } else
    process.stdout.write(
      `${name} has new URLs; the old ones ${ends === undefined ? "no longer work" : `work until ${ends}`}\n`,
    );
  return EXIT.matched;
}
