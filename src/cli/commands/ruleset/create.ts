import { basename } from "node:path";
import { ProblemError } from "../../../client/errors.ts";
import { PURPOSES, type Purpose, Ruleset } from "../../../rulesets/ruleset.ts";
import { checkRuleName } from "../../../rulesets/validate-rule.ts";
import { RULESET_FIELDS } from "../../../service/rules/ruleset-fields.ts";
import { fieldOptions, fieldValues } from "../../options/field-options.ts";
import { type Arguments, type Command, EXIT, type Option } from "../../runner/command.ts";
import { printText } from "../../runner/standard-output.ts";
import { rejectTakenRuleset } from "../../server/chosen-ruleset.ts";
import { guardClassesOf, guardClassesOption } from "../../rulesets/guard-classes.ts";
import { RulesetFile } from "../../rulesets/ruleset-file.ts";
import { isRulesetFile } from "../../rule-lists/rule-source.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, parametersText, ServiceConnection } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

const onServer = (option: Option): Option => ({ ...option, help: `on a server: ${option.help}` });

export const createCommand: Command = {
  name: "ruleset create",
  summary: "create a ruleset, on a server or in a file",
  operands: "RULESET",
  options: [
    { name: "purpose", value: "PURPOSE", choices: PURPOSES, help: "what it is for; default: blocklist" },
    ...fieldOptions(RULESET_FIELDS, ["never_block"]).map(onServer),
    onServer(guardClassesOption("as the organisation's (default)")),
    { name: "never-block", help: "on a server: an allowlist with your own networks, never to be blocked" },
    {
      name: "name",
      value: "NAME",
      help: "for a file: the ruleset's name; default: the file name without its extension",
    },
    {
      name: "allow-special-purpose",
      help: "for a file: allow rules for private, loopback, documentation and other special-purpose addresses",
    },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    `RULESET is the name of the new ruleset on a server, or its file: a path that ends in .ipsieve, which needs neither a server nor a key.`,
    "An existing file is not overwritten.",
    KEY_NOTE,
    "Exit code: 0 if the ruleset was created, 2 if not.",
  ],
  examples: [
    { command: "ipsieve ruleset create blocklist.ipsieve", what: "a file, for identify --snapshot too" },
    { command: "ipsieve ruleset create Partners --purpose allowlist", what: "on a server" },
    { command: "ipsieve ruleset create Offices --purpose allowlist --never-block", what: "your own networks" },
  ],
  run,
};

const OF_FILES = ["name", "allow-special-purpose"];
const OF_SERVERS = ["description", "guard", "guard-classes", "never-block", "server", "key-file"];

async function run(args: Arguments): Promise<number> {
  const ruleset = args.operands[0]!;
  const isFile = isRulesetFile(ruleset);
  for (const option of isFile ? OF_SERVERS : OF_FILES)
    if (args.has(option))
      throw new UsageError(
        `--${option} is for rulesets ${isFile ? "on a server" : "in files"}, and ${ruleset} is ${isFile ? "a file" : "not a path that ends in .ipsieve"}; leave it out`,
      );
  const purpose = (args.value("purpose") ?? "blocklist") as Purpose;
  await (isFile ? createFile(args, ruleset, purpose) : createOnServer(args, ruleset, purpose));
  return EXIT.matched;
}

async function createFile(args: Arguments, path: string, purpose: Purpose): Promise<void> {
  const name = checkedName(args.value("name") ?? basename(path, ".ipsieve"));
  await new RulesetFile(path).create(
    new Ruleset({ name, purpose, allowSpecialPurpose: args.has("allow-special-purpose") }),
  );
  await printText(`${path}: ${purpose} ${JSON.stringify(name)}, no rules yet\n`);
}

function checkedName(name: string): string {
  try {
    return checkRuleName(name);
  } catch (error) {
    throw new UsageError(`--name: ${(error as Error).message}`);
  }
}

async function createOnServer(args: Arguments, name: string, purpose: Purpose): Promise<void> {
  const classes = guardClassesOf(args);
  const body = {
    name,
    purpose,
    ...fieldValues(RULESET_FIELDS, args),
    ...(classes !== undefined && { guard_classes: classes }),
  };
  const { id } = await new ServiceConnection(args).use(async (client) => {
    await rejectTakenRuleset(client, name);
    try {
      return await client.post("/v1/edl/ip-rulesets/", { body });
    } catch (error) {
      throw rejectedName(error) ?? error;
    }
  });
  await printText(`${id}\n`);
}

/** On a server the name is the operand, not an option; undefined where something else is rejected. */
function rejectedName(error: unknown): UsageError | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const { name = [], ...options } = error.validationErrors;
  if (name.length === 0) return undefined;
  const others = Object.keys(options).length === 0 ? [] : [parametersText(options)];
  return new UsageError([`RULESET: ${name.join("; ")}`, ...others].join("; "));
}
