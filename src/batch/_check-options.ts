import { checkTime } from "../table/active-matches.ts";
import { TIME_UNITS } from "./engine/time-counter.ts";
import { TEXT_NAME } from "./engine/typescript/_append-rows.ts";
import type { IdentifyOptions } from "./identify-options.ts";
import { FIELD_SYNTAXES } from "./lines/fields/resolve-field.ts";

const CHOICES = {
  format: ["tsv", "jsonl", "csv", "append", "none"],
  fieldSyntax: FIELD_SYNTAXES,
  rows: ["all", "matched", "unmatched"],
  engine: ["auto", "webassembly", "typescript"],
  address: ["first", "last", "first-public"],
} as const;

/**
 * Rejects options that would fail late or be misread. Throws TypeError or RangeError that names the option, the value
 * and the cure.
 */
export function checkOptions(options: IdentifyOptions): void {
  checkInputs(options.inputs);
  for (const name of ["format", "fieldSyntax", "rows", "engine", "address"] as const) {
    if (options[name] !== undefined || name === "format") checkChoice(name, options[name], CHOICES[name]);
  }
  for (const name of ["threads", "topAddresses", "keptAddresses"] as const)
    if (options[name] !== undefined) checkCount(name, options[name]);
  if (options.topAddresses !== undefined && options.keptAddresses !== undefined)
    throw new RangeError("topAddresses and keptAddresses are both given; give one of them");
  for (const name of ["header", "rowText"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw new TypeError(`${name} is ${shown(options[name])}; give true or false`);
  }
  checkFurther(options);
  if (options.countTimes !== undefined) checkChoice("countTimes", options.countTimes, Object.keys(TIME_UNITS));
  if (options.now !== undefined) checkTime(options.now);
  if (options.appendAs !== undefined) checkName(options.appendAs);
  for (const [name, value] of Object.entries(options.limits ?? {})) checkCount(`limits.${name}`, value);
  if (options.output !== undefined) checkOutput(options.output);
}

function checkFurther({ snapshot, label = snapshot.info.kind, further = [], only, within }: IdentifyOptions): void {
  if (!Array.isArray(further)) throw new TypeError(`further is ${shown(further)}; give an array of labelled snapshots`);
  const labels = [label, ...further.map((one: { label: unknown }) => one.label)];
  for (const [index, one] of labels.entries()) {
    // oxlint-disable-next-line no-control-regex -- they are what it looks for
    if (typeof one !== "string" || one === "" || /[\u0000-\u001f]/.test(one))
      throw new RangeError(`label ${shown(one)}: give a label of one line`);
    if (labels.indexOf(one) !== index) throw new RangeError(`label ${shown(one)} is given twice; give each its own`);
  }
  if (only !== undefined && !labels.includes(only))
    throw new RangeError(`only is ${shown(only)}; give one of ${labels.join(", ")}`);
  if (only !== undefined && within !== undefined)
    throw new RangeError("only and within are both given; give one of them");
}

function checkInputs(inputs: unknown): void {
  if (!Array.isArray(inputs)) throw new TypeError(`inputs is ${shown(inputs)}; give an array of paths and streams`);
  if (inputs.length === 0) throw new RangeError('inputs is an empty array; give at least one path, "-" or stream');
  for (const [index, input] of inputs.entries()) {
    if (typeof input !== "string" && !hasMethod(input, "pipe"))
      throw new TypeError(`inputs[${index}] is ${shown(input)}; give a path, "-" or a Readable`);
  }
}

function checkOutput(output: unknown): void {
  const path = (output as { path?: unknown } | null)?.path;
  if (!hasMethod(output, "write") && typeof path !== "string")
    throw new TypeError(`output is ${shown(output)}; give { path } or a Writable`);
}

function checkChoice(name: string, value: unknown, choices: readonly string[]): void {
  const cure = `give one of ${choices.join(", ")}`;
  if (typeof value !== "string") throw new TypeError(`${name} is ${shown(value)}; ${cure}`);
  if (!choices.includes(value)) throw new RangeError(`${name} is ${shown(value)}; ${cure}`);
}

/** The name of a column is one line, and must not be the name of the property that holds the line as text. */
function checkName(name: unknown): void {
  if (typeof name !== "string") throw new TypeError(`appendAs is ${shown(name)}; give the name of a column or member`);
  // oxlint-disable-next-line no-control-regex -- they are what it looks for
  if (name === "" || /[\u0000-\u001f]/.test(name))
    throw new RangeError(`appendAs is ${shown(name)}; give a name of one line`);
  if (name === TEXT_NAME)
    throw new RangeError(`appendAs is "${TEXT_NAME}", which holds lines that are not JSON objects; give another name`);
}

function checkCount(name: string, value: unknown): void {
  if (typeof value !== "number") throw new TypeError(`${name} is ${shown(value)}; give a whole number of 1 or more`);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`${name} is ${value}; give a whole number of 1 or more`);
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof (value as Record<string, unknown> | null | undefined)?.[name] === "function";
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" && value !== null ? "an object of another kind" : String(value);
}
