import { Field, Select } from "../components/form.tsx";
import type { Deployment } from "../documents.ts";

type Options = Deployment["options"];
type NumberOption = Exclude<
  keyof Options,
  "families" | "overflow" | "unprocessable" | "allow_empty" | "comments" | "timeouts"
>;

/** What each number is, and its default. */
const NUMBERS: readonly (readonly [name: NumberOption, label: string, hint: string, most: number])[] = [
  ["min_prefix_v4", "Shortest IPv4 prefix", "A wider prefix in an included source blocks publication. Default: 8.", 32],
  ["min_prefix_v6", "Shortest IPv6 prefix", "Default: 19.", 128],
  ["max_entries", "Maximum entries of a file", "Default: the device's limit.", 10_000_000],
  ["max_bytes", "Maximum bytes of a file", "Default: the device's limit.", 999_999_999],
  [
    "max_shrink",
    "Maximum shrinkage, in %",
    "When the catalogue or threat intelligence changes. Default: 50.",
    1_000_000,
  ],
  ["max_growth", "Maximum growth, in %", "Default: 50.", 1_000_000],
  ["chunk_entries", "Entries per file", "Splits the list into files of this size. Default: one file.", 10_000_000],
];

/** Options that are set or not: their value when they are, and what that means. */
const SWITCHES = [
  ["allow_empty", true, "Publish an empty list if the excludes remove everything"],
  ["overflow", "fit", "Shorten a blocklist that has too many entries, by adding as few addresses as possible"],
  ["unprocessable", "omit", "Leave out prefixes that the format cannot express, instead of refusing the list"],
  ["comments", true, "Name the deployment in comments (not supported by every format)"],
  ["timeouts", true, "Give entries that expire a timeout (nftables, ipset, MikroTik and CrowdSec only)"],
] as const satisfies readonly (readonly [name: keyof Options, value: Options[keyof Options], label: string])[];

/** Without any of them: null removes an option. */
export const NO_LIMITS: Readonly<Record<string, null>> = Object.fromEntries(
  ["families", ...NUMBERS.map(([name]) => name), ...SWITCHES.map(([name]) => name)].map((name) => [name, null]),
);

/** The limits that a list must meet to be published. */
export function Limits({
  options,
  onChange,
}: {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}) {
  const family = options.families?.length === 1 ? String(options.families[0]) : "";
  /** Without a value, it has its default. */
  const set = (name: keyof Options, value: Options[keyof Options]): void => {
    const { [name]: _before, ...rest } = options;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  const numberIn = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);
  return (
    <details class="limits">
      <summary>Limits</summary>
      <div class="columns">
        <Select
          name="options.families"
          label="Addresses"
          options={{ "": "IPv4 and IPv6", 4: "IPv4 only", 6: "IPv6 only" }}
          value={family}
          onChange={({ currentTarget: { value } }) =>
            set("families", value === "" ? undefined : [Number(value) as 4 | 6])
          }
        />
        {NUMBERS.map(([name, label, hint, most]) => (
          <Field
            key={name}
            name={`options.${name}`}
            label={label}
            hint={hint}
            optional
            type="number"
            min={0}
            max={most}
            value={options[name] === undefined ? "" : String(options[name])}
            onInput={({ currentTarget }) => set(name, numberIn(currentTarget.value))}
          />
        ))}
      </div>
      {SWITCHES.map(([name, value, label]) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={options[name] === value}
            onChange={({ currentTarget }) => set(name, currentTarget.checked ? value : undefined)}
          />
          {label}
        </label>
      ))}
    </details>
  );
}
