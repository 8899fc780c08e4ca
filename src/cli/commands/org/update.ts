import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { guardClassesOf, guardClassesOption, guardClassesText } from "../../rulesets/guard-classes.ts";
import { UsageError } from "../../runner/usage-error.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  ORGANISATION_OPTION,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";

export const updateCommand: Command = {
  name: "org update",
  summary: "change what the guards of an organisation protect",
  operands: "",
  options: [ORGANISATION_OPTION, guardClassesOption("serving and rented"), ...DATABASE_OPTIONS],
  notes: [
    "It holds for rulesets and deployments that say nothing else about it. With a key: PATCH /v1/edl/guard.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve admin org update --guard-classes serving,rented,scanner", what: "protect known scanners, too" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const guardClasses = guardClassesOf(args);
  if (guardClasses === undefined) throw new UsageError("say what to change: --guard-classes CLASSES");
  await withStore(args, false, async (store) => {
    const { id: organisationId, name } = chosenOrganisation(await store.load(null), args);
    await store.write({ kind: "set-guard-classes", organisationId, guardClasses, ...signature() });
    process.stdout.write(`${name}: guards protect ${guardClassesText(guardClasses)}\n`);
  });
  return EXIT.matched;
}
