import { ProblemError } from "../../../client/errors.ts";
import { RULESET_FIELDS } from "../../../service/rules/ruleset-fields.ts";
import { fieldOptions, fieldValues } from "../../options/field-options.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { chosenRuleset, rejectTakenRuleset } from "../../server/chosen-ruleset.ts";
import { guardClassesOf, guardClassesOption } from "../../rulesets/guard-classes.ts";
import { isRulesetFile } from "../../rule-lists/rule-source.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, parametersText, ServiceConnection } from "../../server/service-connection.ts";

export const updateCommand: Command = {
  name: "ruleset update",
  summary: "change a ruleset on a server, not its rules: only what is given",
  operands: "RULESET",
  operandWords: [],
  options: [
    { name: "name", value: "NAME", help: "a new name" },
    ...fieldOptions(RULESET_FIELDS),
    guardClassesOption("as the organisation's"),
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    "RULESET is the name or the id of a ruleset. The guard checks what is written from now on; rules that are there stay.",
    KEY_NOTE,
    "Exit code: 0 if the ruleset is now as given, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve ruleset update Scanners --guard carve", what: "leave out what must not be blocked" },
    {
      command: "ipsieve ruleset update Scanners --guard-classes serving,rented,scanner",
      what: "known scanners must not be blocked either",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const operand = args.operands[0]!;
  if (isRulesetFile(operand)) throw new UsageError(`${operand} is a file, which has no guard and no description`);
  const classes = guardClassesOf(args);
  const body = {
    ...(args.has("name") && { name: args.value("name")! }),
    ...fieldValues(RULESET_FIELDS, args),
    ...(classes !== undefined && { guard_classes: classes }),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('say what to change; "ipsieve help ruleset update" lists the options');
  const { name } = await new ServiceConnection(args).use(async (client) => {
    const { id } = await chosenRuleset(client, operand);
    if (body.name !== undefined) await rejectTakenRuleset(client, body.name, id);
    const params = { path: { ruleset_id: id } };
    return client.patch("/v1/edl/ip-rulesets/{ruleset_id}", { params, body }).catch((error: unknown) => {
      if (!(error instanceof ProblemError) || Object.keys(error.validationErrors).length === 0) throw error;
      throw new UsageError(parametersText(error.validationErrors));
    });
  });
  await printText(`${oneLine(name)}: changed\n`);
  return EXIT.matched;
}
