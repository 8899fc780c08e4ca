import { Field, Select } from "../components/form.tsx";
import type { Draft } from "./deployments-api.ts";

type Options = Draft["options"];
type NumberOption = Exclude<keyof Options, "families" | "overflow" | "allow_empty" | "comments">;

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

/** The limits that a list must meet to be published. */
export function Limits({
  options,
  onChange,
}: {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}) {
  const { families: _, ...others } = options;
  const family = options.families?.length === 1 ? String(options.families[0]) : "";
  const setNumber = (name: NumberOption, text: string): void => {
    const { [name]: _before, ...rest } = options;
    onChange(/^\d+$/.test(text) ? { ...rest, [name]: Number(text) } : rest);
  };
  const setEmpty = (isAllowed: boolean): void => {
    const { allow_empty: _before, ...rest } = options;
    onChange(isAllowed ? { ...rest, allow_empty: true } : rest);
  };
  const setFitted = (isWanted: boolean): void => {
    const { overflow: _before, ...rest } = options;
    onChange(isWanted ? { ...rest, overflow: "fit" } : rest);
  };
  const setComments = (isWanted: boolean): void => {
    const { comments: _before, ...rest } = options;
    onChange(isWanted ? { ...rest, comments: true } : rest);
  };
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
            onChange(value === "" ? others : { ...others, families: [Number(value) as 4 | 6] })
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
            onInput={({ currentTarget }) => setNumber(name, currentTarget.value)}
          />
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={options.allow_empty === true}
          onChange={({ currentTarget }) => setEmpty(currentTarget.checked)}
        />
        Publish an empty list if the excludes remove everything
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={options.overflow === "fit"}
          onChange={({ currentTarget }) => setFitted(currentTarget.checked)}
        />
        Shorten a blocklist that has too many entries, by adding as few addresses as possible
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={options.comments === true}
          onChange={({ currentTarget }) => setComments(currentTarget.checked)}
        />
        Name the deployment in comments (not supported by every format)
      </label>
    </details>
  );
}
