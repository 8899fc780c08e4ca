import {
  type Command,
  type CommandTable,
  EXIT,
  fullName,
  loadCommands,
  type Option,
  withoutWord,
} from "../runner/command.ts";
import { nearest } from "../../words/nearest.ts";
import { ownVersion } from "../../service/own-version.ts";
import { printShortly } from "../runner/standard-output.ts";
import { type Style, styleFor } from "../output/style.ts";
import { UsageError } from "../runner/usage-error.ts";

const HELP_COLUMNS = 96;
/** Named below the list of commands. */
const NAMED_BELOW: readonly string[] = ["completions", "demo", "help"];

const EXAMPLES = [
  "ipsieve demo                                    # the bundled sample log: which services are in it?",
  "ipsieve identify access.log                     # which services do the visitors come from?",
  "ipsieve identify --summary *.log.gz             # the same, counted, with bars",
  "tail -f access.log | ipsieve identify --format append",
  "ipsieve lookup 17.253.144.10 2606:4700::/32     # one address or prefix, in full",
  "ipsieve build spamhaus.txt tor.txt -o bad.ipsieve && ipsieve identify -c --snapshot bad.ipsieve access.log",
];

export function helpCommand(table: CommandTable): Command {
  return {
    name: "help",
    summary: "show this text, or the help for a command",
    operands: "[COMMAND...]",
    operandWords: [...new Set(Object.keys(table.commands).flatMap((name) => name.split(" ")))],
    options: [{ name: "all", help: "list every command of every group" }],
    examples: [
      { command: "ipsieve help identify", what: "every option of identify" },
      { command: "ipsieve help cbs", what: "every cbs command" },
      { command: "ipsieve help --all", what: "every command" },
    ],
    async run({ operands, has }) {
      const style = styleFor(process.stdout);
      const name = withoutWord(table, operands).join(" ");
      process.stdout.write(
        has("all") && name === "" ? await everyCommand(table, style) : await helpText(table, name, style),
      );
      return EXIT.matched;
    },
  };
}

async function helpText(table: CommandTable, name: string, style: Style): Promise<string> {
  if (name === "") return overview(table, style);
  if (name === table.administration.word) return administrationHelp(table, style);
  if (Object.hasOwn(table.groups, name)) return groupHelp(table, name, style);
  if (!Object.hasOwn(table.commands, name)) return rejectCommand(table, name);
  return commandHelp(await table.commands[name]!(), fullName(table, name), style);
}

/** Throws the UsageError for a command that does not exist. */
export function rejectCommand(table: CommandTable, name: string): never {
  const { word, groups } = table.administration;
  if (Object.hasOwn(table.groups, name) || name === word)
    throw new UsageError(
      `${fullName(table, name)} needs a ${name === word ? "group" : "subcommand"}: ${(name === word ? groups : verbsOf(table, name)).join(", ")}; "ipsieve help ${fullName(table, name)}" describes them`,
    );
  const meant = nearest(name, [...Object.keys(table.commands), ...groups.map((group) => `${word} ${group}`)]);
  if (name.startsWith("-"))
    throw new UsageError(
      `${name} must come after the command, as in ipsieve COMMAND ${name}; "ipsieve help" lists the commands`,
    );
  throw new UsageError(
    `unknown command ${JSON.stringify(name)}; ${meant === undefined ? '"ipsieve help" lists the commands' : `did you mean ipsieve ${fullName(table, meant)}?`}`,
  );
}

export function printVersion(): number {
  printShortly(`ipsieve ${ownVersion()}\n`);
  return EXIT.matched;
}

/** The second words of the commands of a group. */
function verbsOf(table: CommandTable, group: string): string[] {
  return Object.keys(table.commands)
    .filter((name) => name.startsWith(`${group} `))
    .map((name) => name.slice(group.length + 1));
}

async function groupHelp(table: CommandTable, group: string, style: Style): Promise<string> {
  const commands = (await loadCommands(table)).filter(({ name }) => name.startsWith(`${group} `));
  return [
    `${capitalized(table.groups[group]!)}.`,
    "",
    style("bold", "Usage"),
    `  ipsieve ${fullName(table, group)} COMMAND [OPTION...] [ARGUMENT...]`,
    "",
    style("bold", "Commands"),
    ...columns(rowsOf(table, commands), style),
    "",
    `More: "ipsieve help ${fullName(table, group)} COMMAND".`,
    "",
  ].join("\n");
}

/** The groups for operators. */
function administrationHelp(
  { administration: { word, groups: names, about }, groups }: CommandTable,
  style: Style,
): string {
  return [
    `Commands for ${about}.`,
    "",
    style("bold", "Usage"),
    `  ipsieve ${word} GROUP COMMAND [OPTION...] [ARGUMENT...]`,
    "",
    style("bold", "Groups"),
    ...columns(
      names.map((group): [string, string] => [`${word} ${group} ...`, groups[group]!]),
      style,
    ),
    "",
    `More: "ipsieve help ${word} GROUP".`,
    "",
  ].join("\n");
}

function rowsOf(table: CommandTable, commands: readonly Command[]): [string, string][] {
  return commands.map(({ name, operands, summary }) => [`${fullName(table, name)} ${operands}`.trimEnd(), summary]);
}

/** Commands by themselves, and groups: few enough for one screen. */
async function overview(table: CommandTable, style: Style): Promise<string> {
  const { administration, groups } = table;
  const own = (await loadCommands(table)).filter(({ name }) => !name.includes(" ") && !NAMED_BELOW.includes(name));
  const rows = [
    ...own.map(({ name, operands, summary }): [string, string] => [`${name} ${operands}`, summary]),
    ...Object.entries(groups)
      .filter(([group]) => !administration.groups.includes(group))
      .map(([group, about]): [string, string] => [`${group} ...`, about]),
    [`${administration.word} ...`, `for ${administration.about}: ${administration.groups.join(", ")}`] as [
      string,
      string,
    ],
  ];
  return [
    "ipsieve finds out which service, list or network an IP address belongs to. It works offline.",
    "",
    style("bold", "Usage"),
    "  ipsieve COMMAND [OPTION...] [ARGUMENT...]",
    "",
    style("bold", "Commands"),
    ...columns(rows, style),
    "",
    style("bold", "Examples"),
    ...EXAMPLES.map((example) => `  ${example}`),
    "",
    'More: "ipsieve help COMMAND", "ipsieve help --all"; "ipsieve completions SHELL" completes all of it.',
    "Results go to stdout, everything else to stderr. NO_COLOR is respected.",
    "Exit code: 0 something matched, 1 nothing matched, 2 usage or data error, 130 interrupted.",
    "",
  ].join("\n");
}

async function everyCommand(table: CommandTable, style: Style): Promise<string> {
  return `${columns(rowsOf(table, await loadCommands(table)), style).join("\n")}\n`;
}

function commandHelp(command: Command, name: string, style: Style): string {
  const options = command.options.map((option): [string, string] => {
    const { name, short, value } = option;
    const left = `${short === undefined ? "   " : `-${short},`} --${name}${value === undefined ? "" : ` ${value}`}`;
    return [left, optionHelp(option)];
  });
  const examples = command.examples.map(({ command: line, what }) => `  ${line}\n      ${style("dim", what)}`);
  return [
    `${capitalized(command.summary)}.`,
    "",
    style("bold", "Usage"),
    `  ipsieve ${name} ${options.length > 0 ? "[OPTION...] " : ""}${command.operands}`.trimEnd(),
    ...(options.length > 0 ? ["", style("bold", "Options"), ...columns(options, style)] : []),
    ...(command.notes ?? []).flatMap((note) => ["", ...wrapped(note, HELP_COLUMNS)]),
    "",
    style("bold", "Examples"),
    ...examples,
    "",
  ].join("\n");
}

/** What an option does, and the values to choose from, unless its text names them all. */
function optionHelp({ value = "", choices = [], help }: Option): string {
  const named = new Set(`${value} ${help}`.split(/[^\w.-]+/));
  return choices.every((choice) => named.has(choice)) ? help : `${help} (${choices.join(", ")})`;
}

/** Two columns; the second one is wrapped and indented. */
function columns(rows: readonly [string, string][], style: Style): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => {
    const [first, ...more] = wrapped(right, HELP_COLUMNS - width - 4);
    return [`  ${style("cyan", left.padEnd(width))}  ${first}`, ...more.map((line) => " ".repeat(width + 4) + line)];
  });
}

function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1]!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function capitalized(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
