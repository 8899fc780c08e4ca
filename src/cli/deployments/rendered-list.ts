import { createHash } from "node:crypto";
import type { Family } from "../../address/address.ts";
import { type CompiledList, compileList, SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { type Device, DEVICES } from "../../deployments/devices.ts";
import type { Gathered } from "../../deployments/gathered.ts";
import { type ListRejection, rejectionsOf } from "../../deployments/guard-list.ts";
import { UnexportableError } from "../../formats/format.ts";
import {
  expressingList,
  gatheredFor,
  type Unprocessable,
  unprocessableRejections,
  unprocessableText,
} from "../../deployments/unprocessable.ts";
import { expiringEntries, TimedList } from "../../deployments/time-list.ts";
import type { Format } from "../../formats/format.ts";
import { FORMATS } from "../../formats/formats.ts";
import {
  exportRules,
  expressionOf,
  noTimeoutsText,
  type RuleExportFormat,
  TIMED_FORMATS,
} from "../../rulesets/export-rules.ts";
import { ADDRESS_OPTIONS, gatheredOf, nowOf } from "../address-sets/address-operand.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { OPTION_FIELDS } from "../../service/deployments/deployment-fields.ts";
import { fieldOptions } from "../options/field-options.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { PREFIX_FORMATS, rulesOf, SET_NAME_OPTION, setNameFor } from "../options/prefix-formats.ts";
import type { Capability } from "../../sets/capability.ts";
import { finished } from "../../turns/finished.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { UsageError } from "../runner/usage-error.ts";

/** What a list is made of, how it is written, and what it must be: options of the commands about deployments. */
export const LIST_CONTENT_OPTIONS: readonly Option[] = [
  { name: "include", value: "SET", repeats: true, help: "a set to include in the list; may be given several times" },
  {
    name: "exclude",
    value: "SET",
    repeats: true,
    help: "a set to exclude from the list, whatever includes it; may be given several times",
  },
  {
    name: "device",
    value: "DEVICE",
    choices: Object.keys(DEVICES),
    help: `the format and the limits of a device: ${devicesHelp()}`,
  },
  {
    name: "format",
    value: "FORMAT",
    choices: PREFIX_FORMATS,
    help: `${PREFIX_FORMATS.join(", ")}; default: that of the device, otherwise text`,
  },
  SET_NAME_OPTION,
  {
    name: "purpose",
    value: "PURPOSE",
    choices: ["blocklist", "allowlist"],
    help: "blocklist or allowlist: what a format for a program does with the list; default: blocklist",
  },
  { name: "family", value: "4|6", choices: ["4", "6"], help: "only IPv4 or only IPv6" },
  {
    name: "min-prefix-v4",
    value: "N",
    help: `reject the list if an include has an IPv4 prefix wider than /N; default: ${SHORTEST_LENGTHS[4]}`,
  },
  {
    name: "min-prefix-v6",
    value: "N",
    help: `reject the list if an include has an IPv6 prefix wider than /N; default: ${SHORTEST_LENGTHS[6]}`,
  },
  {
    name: "max-entries",
    value: "N",
    help: "reject the list if it has more than N entries; default: the device's limit",
  },
  { name: "max-bytes", value: "N", help: "reject the list if it has more than N bytes; default: the device's limit" },
  ...fieldOptions({ unprocessable: OPTION_FIELDS.unprocessable, timeouts: OPTION_FIELDS.timeouts }),
  { name: "allow-empty", help: "do not reject a list, or a file that protects, without addresses" },
  ...ADDRESS_OPTIONS,
];

function devicesHelp(): string {
  return Object.entries(DEVICES)
    .map(([name, { about }]) => `${name} (${about})`)
    .join(", ");
}

/** How a rejected list can be written anyway. */
const CURES: Readonly<Record<ListRejection["code"], string>> = {
  "too-wide": "check the source; --min-prefix-v4 and --min-prefix-v6 allow wider ones",
  empty: "check the sets; --allow-empty allows it",
  "too-many-entries": "leave sets out, or choose another --device or --max-entries",
  "too-many-bytes": "leave sets out, or choose another --device or --max-bytes",
  unprocessable: "exclude them, choose another --format, or leave them out with --unprocessable omit",
};

/** Why a list is rejected, and what can be done. */
export function reasonOf({ code, message }: ListRejection): string {
  return `${message}; ${CURES[code]}`;
}

/** A list, its file, and the reasons why it must not be used, if there are any. */
export interface RenderedList {
  readonly include: readonly Gathered[];
  readonly exclude: readonly Gathered[];
  readonly list: CompiledList;
  /** The list with the ends of its addresses; undefined: its entries have no times. */
  readonly timed: TimedList | undefined;
  /** Of both families. */
  readonly entries: number;
  readonly families: readonly Family[];
  readonly format: RuleExportFormat;
  readonly file: Buffer;
  readonly sha256: string;
  /** What the format cannot express; it is not in the file. */
  readonly unprocessable: Unprocessable;
  readonly rejections: readonly ListRejection[];
}

/** Reads the sets and makes the list and its file, all at one moment. Throws UsageError, also as `gatheredOf`. */
export async function renderList(args: Arguments): Promise<RenderedList> {
  if (args.values("include").length === 0) throw new UsageError("give --include SET at least once");
  if ([...args.values("include"), ...args.values("exclude")].filter((set) => set === "-").length > 1)
    throw new UsageError('"-" is given twice, and standard input can be read only once');
  const now = nowOf(args);
  const { format, limits } = chosenLimits(args);
  const setName = setNameFor(args, format);
  if (args.has("timeouts") && !TIMED_FORMATS.has(format)) throw new UsageError(`--timeouts: ${noTimeoutsText(format)}`);
  const families: readonly Family[] = args.has("family") ? [Number(args.value("family")) as Family] : [4, 6];
  const shortest = {
    4: numberOf(args, "min-prefix-v4", 32, 0) ?? SHORTEST_LENGTHS[4],
    6: numberOf(args, "min-prefix-v6", 128, 0) ?? SHORTEST_LENGTHS[6],
  };
  const include = await gatheredAll(args, "include", now, gatheredFor(expressionOf(format)));
  const exclude = await gatheredAll(args, "exclude", now);
  const list = compileList({ include, exclude, families, shortest });
  const timed = args.has("timeouts") ? finished(TimedList.making(list, include)) : undefined;
  // Formats with times can express every prefix.
  const expressed = finished(expressingList(list, include, expressionOf(format), purposeOf(args)));
  const { unprocessable } = expressed;
  const counts = (timed ?? expressed).entries;
  const entries = counts[4] + counts[6];
  // A list that is longer than its format can be is rejected, not written.
  const isTooLong = entries > (expressionOf(format).maxEntries ?? Infinity);
  const written = timed === undefined ? rulesOf(expressed.written()) : timedRules(timed, format, now);
  const rules = isTooLong ? [] : written;
  const file = fileOf(rules, format, { setName, purpose: purposeOf(args), now, hasTimeouts: timed !== undefined });
  const sha256 = createHash("sha256").update(file).digest("hex");
  const policy = args.value("unprocessable") === "omit" ? "omit" : "refuse";
  const rejections = [
    ...rejectionsOf(list, file.length, limits, entries),
    ...unprocessableRejections(format, expressed, { policy, allowEmpty: limits.allowEmpty }),
  ];
  return { include, exclude, list, timed, entries, families, format, file, sha256, unprocessable, rejections };
}

function* timedRules(timed: TimedList, format: RuleExportFormat, now: number): Generator<Rule> {
  const { longestTimeout = Infinity } = FORMATS[format] as Format<"rules">;
  for (const each of expiringEntries(timed.prefixes(), now, longestTimeout))
    yield { ...each, name: null, createdAt: 0, updatedAt: 0 };
}

/** What the format cannot express, in one line: the first prefix with the reason, and how many there are. */
export function leftOutLine(unprocessable: Unprocessable, format: RuleExportFormat): string {
  const { count } = unprocessable;
  return `${format} cannot express ${unprocessableText(unprocessable)}; the file does not have ${count === 1 ? "it" : "them"}`;
}

async function gatheredAll(
  args: Arguments,
  option: "include" | "exclude",
  now: number,
  expresses?: Capability,
): Promise<Gathered[]> {
  const all: Gathered[] = [];
  const isTimed = option === "include" && args.has("timeouts");
  const protects = (option === "exclude" || purposeOf(args) === "allowlist") && !args.has("allow-empty");
  for (const operand of args.values(option))
    all.push(await gatheredOf(args, operand, now, { isTimed, protects, expresses }));
  return all;
}

/** An option beats what the device says. */
function chosenLimits(args: Arguments) {
  const device: Partial<Device> = DEVICES[args.value("device") ?? ""] ?? {};
  const format = (args.value("format") as RuleExportFormat | undefined) ?? device.format ?? "text";
  const { maxEntries: most = Infinity } = expressionOf(format);
  return {
    format,
    limits: {
      allowEmpty: args.has("allow-empty"),
      maxEntries: Math.min(numberOf(args, "max-entries", 999_999_999) ?? device.maxEntries ?? Infinity, most),
      maxBytes: numberOf(args, "max-bytes", 999_999_999) ?? device.maxBytes,
    },
  };
}

function numberOf(args: Arguments, option: string, most: number, least = 1): number | undefined {
  const text = args.value(option);
  return text === undefined ? undefined : wholeNumber(option, text, most, least);
}

function purposeOf(args: Arguments): "blocklist" | "allowlist" {
  return args.value("purpose") === "allowlist" ? "allowlist" : "blocklist";
}

/** Throws UsageError if the format cannot express what the list does. */
function fileOf(
  rules: Iterable<Rule>,
  format: RuleExportFormat,
  options: NonNullable<Parameters<typeof exportRules>[2]>,
): Buffer {
  try {
    return Buffer.concat(
      exportRules(rules, format, options)
        .map((chunk) => Buffer.from(chunk))
        .toArray(),
    );
  } catch (error) {
    throw error instanceof UnexportableError ? new UsageError(error.message) : error;
  }
}
