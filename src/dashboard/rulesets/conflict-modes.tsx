import type { ConflictMode } from "./rules-api.ts";

const MODES: Readonly<Record<ConflictMode, readonly [name: string, effect: string]>> = {
  extend: [
    "Keep the longer",
    "The rule stays and lasts as long as the longer of the two. It gets the name if it has none.",
  ],
  override: ["Replace", "Name and expiry become those given here."],
  skip: ["Leave as it is", "The rule that is there stays unchanged."],
  fail: ["Refuse", "Nothing is written, and you are told."],
};

/** What is to happen where the rule exists. */
export function ConflictModes({
  value,
  onChange,
}: {
  readonly value: ConflictMode;
  readonly onChange: (mode: ConflictMode) => void;
}) {
  return (
    <fieldset class="field">
      <legend class="field-name">Where a rule for the address exists</legend>
      <div class="modes">
        {(Object.keys(MODES) as ConflictMode[]).map((mode) => (
          <label key={mode} class="mode">
            <input
              type="radio"
              name="conflict_resolution"
              value={mode}
              checked={value === mode}
              onChange={() => onChange(mode)}
            />
            <span>
              <strong>{MODES[mode][0]}</strong>
              <span class="muted small">{MODES[mode][1]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
