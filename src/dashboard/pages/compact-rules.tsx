import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { formatCount, formatCounted } from "../format.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { type Problem, problemOf } from "../problem.ts";
import { navigate } from "../router.ts";
import { compact, planCompaction, type PlannedCompaction } from "../rulesets/compaction.tsx";
import { ExaminedList } from "../rulesets/examined-list.tsx";
import { RulesetTrail } from "../rulesets/ruleset-trail.tsx";
import { announceChange } from "../rulesets/undo.ts";
import { CannotUndo, WriteFailure } from "../rulesets/write-notes.tsx";
import "../rulesets/rulesets.css";

/** Fewer rules for the same addresses: each change is shown before all of them are made at once. */
export default function CompactRules({ params }: PageProps) {
  const rulesetId = params["ruleset_id"]!;
  const [ignoreNames, setIgnoreNames] = useState(false);
  const planned = useLoad((signal) => planCompaction(rulesetId, ignoreNames, signal), [rulesetId, ignoreNames]);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Problem>();
  const { data, isLoading, reload } = planned;
  const commit = async ({ name, before, after, tag }: PlannedCompaction): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await compact(rulesetId, { ignore_names: ignoreNames }, tag);
      navigate(hrefOf(`/rulesets/${rulesetId}`));
      await announceChange(`"${name}" has ${formatCounted(after, "rule")} now, instead of ${formatCount(before)}.`);
    } catch (error) {
      setFailure(problemOf(error));
      if (problemOf(error).status === 412) reload();
    }
    setBusy(false);
  };
  return (
    <Page title="Compact the ruleset" about={<RulesetTrail id={rulesetId} name={data?.name} />}>
      <Panel>
        <p>
          {data && (
            <strong>
              {formatCounted(data.before, "rule")} now, {formatCount(data.after)} afterwards.{" "}
            </strong>
          )}
          A shorter list of rules for the same addresses: every address stays covered for as long as it is now. The rule
          that decides about an address can change, and with it the name.
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={ignoreNames}
            onChange={({ currentTarget }) => setIgnoreNames(currentTarget.checked)}
          />
          Also unite rules with different names; the united rule has none
        </label>
      </Panel>
      <Panel
        title="Preview"
        flush
        actions={
          data && (
            <Button
              look="primary"
              busy={isBusy}
              disabled={isLoading || !changes(data)}
              onClick={() => void commit(data)}
            >
              {changes(data) ? `Compact to ${formatCounted(data.after, "rule")}` : "Nothing to compact"}
            </Button>
          )
        }
      >
        <WriteFailure problem={failure} />
        <Loaded of={planned} lines={8}>
          {(plan) => <Planned plan={plan} isBusy={isLoading} />}
        </Loaded>
      </Panel>
    </Page>
  );
}

function changes({ lines }: PlannedCompaction): boolean {
  return lines.some(({ verdict }) => verdict !== "kept");
}

function Planned({ plan, isBusy }: { readonly plan: PlannedCompaction; readonly isBusy: boolean }) {
  const { lines, isCut, canUndo } = plan;
  if (lines.length === 0)
    return (
      <Empty icon="check" title="The ruleset is compact">
        No rule is superfluous, and none can be united.
      </Empty>
    );
  return (
    <>
      {!canUndo && <CannotUndo />}
      <ExaminedList examined={{ ...plan, isCut: false }} isBusy={isBusy} />
      {isCut && (
        <p class="table-foot muted small">
          The first {formatCount(lines.length)} rules are listed; the counts include all.
        </p>
      )}
    </>
  );
}
