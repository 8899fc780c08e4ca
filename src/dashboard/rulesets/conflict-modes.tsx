import type { ConflictMode } from "./rules-api.ts";

const MODES: Readonly<Record<ConflictMode, readonly [name: string, effect: string]>> = {
  extend: [
    "Keep the later expiry",
    "The existing rule gets the later of the two expiries, and the new name if it has none.",
  ],
  override: ["Replace", "The new name and expiry replace those of the existing rule."],
  skip: ["Keep existing", "The existing rule stays unchanged."],
  fail: ["Reject", "Nothing is written, and the conflict is reported."],
};

/** What happens if the rule exists. */
export function ConflictModes({
  value,
  onChange,
}: {
  readonly value: ConflictMode;
  readonly onChange: (mode: ConflictMode) => void;
}) {
  return (
    <fieldset class="field">
      <legend class="field-name">If a rule already exists</legend>
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
