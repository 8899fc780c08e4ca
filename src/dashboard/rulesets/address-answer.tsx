import { post } from "../api.ts";
import { Icon } from "../components/icon.tsx";
import { ProblemNote } from "../components/states.tsx";
import { formatCounted } from "../format.ts";
import type { Rule } from "../documents.ts";
import { useLoad } from "../load.ts";
import { RuleText } from "./rule-state.tsx";

interface CheckAnswer {
  readonly rule: Rule | null;
  readonly covering: readonly Rule[];
}

/** Whether active rules cover an address, and which of them decides. */
export function AddressAnswer({
  rulesetId,
  ip,
  tag,
  onSearchNames,
}: {
  readonly rulesetId: string;
  readonly ip: string;
  readonly tag: string;
  readonly onSearchNames: () => void;
}) {
  const { data, problem } = useLoad(
    async (signal) =>
      (await post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules:check", {
        params: { path: { ruleset_id: rulesetId } },
        body: { ip },
        signal,
      })) as unknown as CheckAnswer,
    [rulesetId, ip, tag],
  );
  const names = (
    <button type="button" class="link" onClick={onSearchNames}>
      Search the names for "<bdi>{ip}</bdi>" instead
    </button>
  );
  if (problem !== undefined)
    return (
      <div class="stack-tight">
        <ProblemNote problem={problem} />
        <p class="answer-names">{names}</p>
      </div>
    );
  if (data === undefined) return null;
  const { rule, covering } = data;
  return (
    <div class={rule === null ? "address-answer" : "address-answer covered"} role="status">
      <Icon name={rule === null ? "close" : "check"} />
      <div>
        {rule === null ? (
          <p>
            <code>{ip}</code> is covered by no active rule.
          </p>
        ) : (
          <p>
            <code>{ip}</code> is covered by {formatCounted(covering.length, "active rule")}. The most specific decides:{" "}
            <RuleText rule={rule} />
          </p>
        )}
        <p class="small muted">Below are the rules that cover it, and those that lie within it. {names}</p>
      </div>
    </div>
  );
}
