import type { Arguments, Command, Option } from "./command.ts";
import { nearest } from "./nearest.ts";
import { UsageError } from "./usage-error.ts";

/** Reads what follows the command's name on the command line. Throws UsageError for anything the command does not know. */
export function parseArguments(command: Command, args: readonly string[]): Arguments {
  // Not by `import`: that runs every lazy part of node:util and costs 4 ms of a start that takes 30.
  const { parseArgs } = process.getBuiltinModule("node:util");
  const { tokens } = parseArgs({ args: [...args], options: parserOptions(command.options), strict: false, tokens: true, allowPositionals: true });
  const operands: string[] = [];
  const values = new Map<string, string | true>();
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind === "option") values.set(token.name, checkedValue(command, token.name, token.rawName, token.value));
  }
  checkOperands(command, operands);
  return {
    operands,
    has: (name) => values.has(name),
    value: (name) => {
      const value = values.get(name);
      return value === true ? undefined : value;
    },
  };
}

/** A whole number from 1 to `most`. Throws UsageError. */
export function wholeNumber(option: string, text: string, most: number): number {
  const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new UsageError(`--${option} ${JSON.stringify(text)}: give a whole number from 1 to ${most}`);
}

function parserOptions(options: readonly Option[]): Record<string, { type: "string" | "boolean"; short?: string }> {
  return Object.fromEntries(
    options.map(({ name, short, value }) => {
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [name, short === undefined ? { type } : { type, short }];
    }),
  );
}

function checkedValue(command: Command, name: string, rawName: string, value: string | undefined): string | true {
  const option = command.options.find((candidate) => candidate.name === name);
  if (option === undefined) throw unknownOption(command, rawName);
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value, but ${JSON.stringify(value)} was given`);
    return true;
  }
  if (value === undefined || value === "") throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}`);
  if (option.choices !== undefined && !option.choices.includes(value)) {
    const meant = nearest(value, option.choices);
    throw new UsageError(`${rawName} ${JSON.stringify(value)}: ${meant === undefined ? "there" : `did you mean ${meant}? There`} are ${option.choices.join(", ")}`);
  }
  return value;
}

function unknownOption(command: Command, rawName: string): UsageError {
  const meant = rawName.startsWith("--") ? nearest(rawName.slice(2), command.options.map(({ name }) => name)) : undefined;
  const cure = meant === undefined ? `"ipsieve help ${command.name}" lists the options` : `did you mean --${meant}?`;
  return new UsageError(`unknown option ${rawName}; ${cure}`);
}

function checkOperands({ name, operands, minOperands, maxOperands, operandWords }: Command, given: readonly string[]): void {
  const usage = `usage: ipsieve ${name} ${operands}`.trimEnd();
  if (given.length < minOperands) throw new UsageError(`${name} needs ${operands}; ${usage}`);
  if (given.length > maxOperands) throw new UsageError(`${name} does not take ${JSON.stringify(given[maxOperands])}; ${usage}`);
  const takesPaths = operandWords === undefined;
  if (takesPaths && given.includes("")) throw new UsageError(`an empty file name was given (an unset variable?); ${usage}`);
}
