import type { Arguments, Command, Option } from "./command.ts";
import { nearest } from "../words/nearest.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Reads what follows the command's name on the command line: options anywhere, `--name value`, `--name=value`, `-n
 * value`, `-nvalue`, `-abc`; behind `--` only operands. Throws UsageError for anything the command does not know, and
 * for a second value of an option that takes one: neither may win silently. Not by `parseArgs` of node:util: loading
 * that takes 4 ms of a start that takes 50.
 */
export function parseArguments(command: Command, args: readonly string[]): Arguments {
  const operands: string[] = [];
  const values: Values = new Map();
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === "--") operands.push(...left.splice(0));
    else if (arg.startsWith("--")) readLong(command, arg, left, values);
    else if (arg.startsWith("-") && arg !== "-") readShort(command, arg, left, values);
    else operands.push(arg);
  }
  checkOperands(command, operands);
  return {
    operands,
    has: (name) => values.has(name),
    value: (name) => values.get(name)?.at(-1),
    values: (name) => values.get(name) ?? [],
  };
}

/** The options that were given, by name, with their values in order; a flag has none. */
type Values = Map<string, string[]>;

function keep(values: Values, { name, repeats }: Option, value: string | undefined): void {
  const before = values.get(name) ?? [];
  if (value !== undefined && before.length > 0 && repeats !== true) {
    throw new UsageError(
      `--${name} is given twice, as ${JSON.stringify(before[0])} and ${JSON.stringify(value)}; give it once`,
    );
  }
  values.set(name, value === undefined ? before : [...before, value]);
}

/** `--name`, `--name=value`, or `--name` and the value as the next argument. */
function readLong(command: Command, arg: string, left: string[], values: Values): void {
  const equals = arg.indexOf("=");
  const rawName = equals < 0 ? arg : arg.slice(0, equals);
  const option = command.options.find(({ name }) => `--${name}` === rawName);
  if (option === undefined) throw unknownOption(command, rawName);
  const next = option.value === undefined ? undefined : left;
  keep(values, option, checkedValue(option, rawName, equals < 0 ? next?.shift() : arg.slice(equals + 1)));
}

/**
 * Flags one behind the other; the first option that takes a value takes what is left of the argument, or the next one.
 */
function readShort(command: Command, arg: string, left: string[], values: Values): void {
  for (let at = 1; at < arg.length; at++) {
    const rawName = `-${arg[at]}`;
    const option = command.options.find(({ short }) => short === arg[at]);
    if (option === undefined) throw unknownOption(command, rawName);
    const rest = option.value === undefined ? "" : arg.slice(at + 1);
    if (option.value !== undefined) at = arg.length;
    keep(
      values,
      option,
      checkedValue(option, rawName, option.value === undefined ? undefined : rest === "" ? left.shift() : rest),
    );
  }
}

/** A whole number from `least` to `most`. Throws UsageError. */
export function wholeNumber(option: string, text: string, most: number, least = 1): number {
  const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${option} ${JSON.stringify(text)}: give a whole number from ${least} to ${most}`);
}

/** The value that an option has; undefined for a flag. */
function checkedValue(option: Option, rawName: string, value: string | undefined): string | undefined {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value, but ${JSON.stringify(value)} was given`);
    return undefined;
  }
  if (value === undefined || value === "") throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}`);
  if (option.choices !== undefined && !option.choices.includes(value)) {
    const meant = nearest(value, option.choices);
    throw new UsageError(
      `${rawName} ${JSON.stringify(value)}: ${meant === undefined ? "there" : `did you mean ${meant}? There`} are ${option.choices.join(", ")}`,
    );
  }
  return value;
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

function checkOperands(
  { name, operands, minOperands, maxOperands, operandWords }: Command,
  given: readonly string[],
): void {
  const usage = `usage: ipsieve ${name} ${operands}`.trimEnd();
  if (given.length < minOperands) throw new UsageError(`${name} needs ${operands}; ${usage}`);
  if (given.length > maxOperands)
    throw new UsageError(`${name} does not take ${JSON.stringify(given[maxOperands])}; ${usage}`);
  if (given.filter((operand) => operand === "-").length > 1)
    throw new UsageError(`"-" is given twice, and standard input can be read only once; ${usage}`);
  const takesPaths = operandWords === undefined;
  if (takesPaths && given.includes(""))
    throw new UsageError(`an empty file name was given (an unset variable?); ${usage}`);
}
