import { parseArgs } from "node:util";
import type { Arguments, Command, Option } from "./command.ts";
import { chosen } from "../../words/chosen.ts";
import { nearest } from "../../words/nearest.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Reads what follows the command's name on the command line: options anywhere, `--name value`, `--name=value`, `-n
 * value`, `-nvalue`, `-abc`; after `--` only operands. Throws UsageError for anything the command does not know, and if
 * an option that takes one value is given two: neither may win silently. An operand may be given by its name, too:
 * `--label web` for LABEL. Node's own parser cuts the arguments into tokens; it runs with `strict: false`, since its
 * errors name neither choices nor the option that was probably meant.
 */
export function parseArguments(given: Command, args: readonly string[]): Arguments {
  const named = namedOperands(given);
  const command = { ...given, options: [...given.options, ...named] };
  let operands: string[] = [];
  const values: Values = new Map();
  for (const token of tokensOf(command, args)) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind === "option") keep(values, command, token);
    // Node's parser reads -c-o as -c -- -o.
    if (token.kind === "option-terminator" && args[token.index] !== "--") throw unknownOption(command, "--");
  }
  const byName = named.filter(({ name }) => values.has(name));
  if (byName.length > 0) {
    checkRest(given, byName, operands);
    operands = inOrder(given, named, operands, values);
  }
  checkOperands(given, operands);
  return {
    operands,
    has: (name) => values.has(name),
    value: (name) => values.get(name)?.at(-1),
    values: (name) => values.get(name) ?? [],
  };
}

/** As options, the operands of which there is one, as in `LABEL COLLECTION...`, where no option has the name. */
function namedOperands({ operands, options }: Command): Option[] {
  return operands
    .split(" ")
    .filter((word) => /^[A-Z]+$/.test(word) && !options.some(({ name }) => name === word.toLowerCase()))
    .map((word) => ({ name: word.toLowerCase(), value: word, help: "" }));
}

/** Throws UsageError if more operands follow than are left beside those given by name. */
function checkRest({ name, operands }: Command, byName: readonly Option[], others: readonly string[]): void {
  const extra = others[operandCounts(operands).max - byName.length];
  if (extra === undefined) return;
  const flags = byName.map((option) => `--${option.name}`).join(", ");
  throw new UsageError(
    `${name} does not take ${JSON.stringify(extra)} beside ${flags}, which gives that operand; leave one of them out; usage: ipsieve ${name} ${operands}`,
  );
}

/** The operands in the order of the usage: those that were given by name, and the others around them. */
function inOrder({ operands }: Command, named: readonly Option[], others: readonly string[], values: Values): string[] {
  const rest = [...others];
  const found = operands.split(" ").flatMap((word) => {
    const option = named.find(({ value }) => value === word);
    return (option && values.get(option.name)) ?? rest.splice(0, 1);
  });
  return [...found, ...rest];
}

/** The options that were given, by name, with their values in order; a flag has none. */
type Values = Map<string, string[]>;

type Token = ReturnType<typeof tokensOf>[number];

function tokensOf({ options }: Command, args: readonly string[]) {
  const known = options.map(({ name, short, value }) => [
    name,
    { type: value === undefined ? "boolean" : "string", ...(short !== undefined && { short }) },
  ]);
  return parseArgs({ args, options: Object.fromEntries(known), strict: false, tokens: true }).tokens;
}

function keep(values: Values, command: Command, token: Token & { kind: "option" }): void {
  const { name, rawName } = token;
  const option = command.options.find((candidate) => candidate.name === name);
  if (option === undefined) throw unknownOption(command, rawName);
  const value = checkedValue(option, rawName, token.value);
  const before = values.get(name) ?? [];
  if (value !== undefined && before.length > 0 && option.repeats !== true) {
    throw new UsageError(
      `--${name} is given twice, as ${JSON.stringify(before[0])} and ${JSON.stringify(value)}; give it once`,
    );
  }
  values.set(name, value === undefined ? before : [...before, value]);
}

/** A whole number from `min` to `max`, as the value of an option. Throws UsageError. */
export function wholeNumber(option: string, text: string, max: number, min = 1): number {
  return wholeNumberAs(`--${option}`, text, max, min);
}

/** The same as an operand, which `what` names. */
export function wholeNumberAs(what: string, text: string, max: number, min = 1): number {
  const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${what} ${JSON.stringify(text)}: give a whole number from ${min} to ${max}`);
}

/** The value of an option; undefined for a flag. */
function checkedValue(option: Option, rawName: string, value: string | undefined): string | undefined {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value, but ${JSON.stringify(value)} was given`);
    return undefined;
  }
  if (value === undefined || value === "") throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}`);
  if (option.choices === undefined) return value;
  const choice = chosen(value, option.choices);
  if (choice !== undefined) return choice;
  const meant = nearest(value, option.choices);
  throw new UsageError(
    `${rawName} ${JSON.stringify(value)}: ${meant === undefined ? "choose" : `did you mean ${meant}? Choose`} from ${option.choices.join(", ")}`,
  );
}

function unknownOption(command: Command, rawName: string): UsageError {
  const meant = rawName.startsWith("--")
    ? nearest(
        rawName.slice(2),
        command.options.map(({ name }) => name),
      )
    : undefined;
  const cure = meant === undefined ? `"ipsieve help ${command.name}" lists the options` : `did you mean --${meant}?`;
  return new UsageError(`unknown option ${rawName}; ${cure}`);
}

function checkOperands({ name, operands, operandWords }: Command, given: readonly string[]): void {
  const usage = `usage: ipsieve ${name} ${operands}`.trimEnd();
  const { min, max } = operandCounts(operands);
  if (given.length < min) throw new UsageError(`${name} needs ${operands}; ${usage}`);
  if (given.length > max) throw new UsageError(`${name} does not take ${JSON.stringify(given[max])}; ${usage}`);
  if (given.filter((operand) => operand === "-").length > 1)
    throw new UsageError(`"-" is given twice, and standard input can be read only once; ${usage}`);
  const takesPaths = operandWords === undefined;
  if (takesPaths && given.includes(""))
    throw new UsageError(`an empty file name was given (an unset variable?); ${usage}`);
}

/** How many operands a command takes, by its usage. */
export function operandCounts(operands: string): { min: number; max: number } {
  const words = operands.split(" ").filter((word) => word !== "");
  return {
    min: words.filter((word) => !word.startsWith("[")).length,
    max: operands.includes("...") ? Infinity : words.length,
  };
}
