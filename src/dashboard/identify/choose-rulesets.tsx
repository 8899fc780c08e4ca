import { useMemo } from "preact/hooks";
import { Button } from "../components/button.tsx";
import type { Ruleset } from "../documents.ts";
import { formatCount } from "../format.ts";
import { useLoad } from "../load.ts";
import { PurposeBadge } from "../rulesets/purpose-badge.tsx";
import { fetchRulesets } from "../rulesets/rules-api.ts";
import { hasPlan } from "../session.ts";

/** Maximum rulesets that the server compares a log with. */
const MAX_COMPARED = 100;

export interface RulesetChoice {
  /** The organisation's rulesets; empty while they are loading, without a plan, and if there are none. */
  readonly all: readonly Ruleset[];
  /** Those that a log is not compared with, by id. */
  readonly excluded: ReadonlySet<string>;
}

/** The rulesets to choose from; all are chosen unless excluded. */
export function useRulesetChoice(excluded: ReadonlySet<string>): RulesetChoice {
  const { data = [] } = useLoad((signal) => (hasPlan("edl") ? fetchRulesets(signal) : Promise.resolve([])));
  return useMemo(() => ({ all: data, excluded }), [data, excluded]);
}

/** The choice, as the parameter of an upload. */
export function rulesetsQuery({ all, excluded }: RulesetChoice): string {
  const chosen = all.filter(({ id }) => !excluded.has(id));
  if (chosen.length === all.length) return "all";
  const ids = chosen.slice(0, MAX_COMPARED).map(({ id }) => id);
  return ids.length === 0 ? "none" : ids.join();
}

/** Which rulesets a log is compared with; nothing if there are none. */
export function ChooseRulesets({
  choice: { all, excluded },
  onChange,
}: {
  readonly choice: RulesetChoice;
  readonly onChange: (excluded: ReadonlySet<string>) => void;
}) {
  if (all.length === 0) return null;
  const chosen = all.length - all.filter(({ id }) => excluded.has(id)).length;
  const set = (id: string, isChosen: boolean): void => {
    const changed = new Set(excluded);
    if (isChosen) changed.delete(id);
    else changed.add(id);
    onChange(changed);
  };
  return (
    <fieldset class="rulesets-choice">
      <legend>Compare with rulesets</legend>
      <div class="rulesets-choice-list" tabIndex={0} role="group" aria-label="Rulesets">
        {all.map(({ id, name, purpose }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              checked={!excluded.has(id)}
              onChange={(event) => set(id, event.currentTarget.checked)}
            />
            <span class="wrap">{name}</span>
            <PurposeBadge purpose={purpose} />
          </label>
        ))}
      </div>
      <p class="rulesets-choice-foot muted small">
        <Button small disabled={chosen === all.length} onClick={() => onChange(new Set())}>
          Select all
        </Button>
        <Button small disabled={chosen === 0} onClick={() => onChange(new Set(all.map(({ id }) => id)))}>
          Select none
        </Button>
        {formatCount(chosen)} of {formatCount(all.length)} selected
        {chosen > MAX_COMPARED && `; the first ${MAX_COMPARED} are compared`}
      </p>
    </fieldset>
  );
}
