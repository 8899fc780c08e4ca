import { useCallback, useState } from "preact/hooks";
import { Segments } from "../components/segments.tsx";
import { formatCount } from "../format.ts";
import type { Rule } from "../documents.ts";
import type { Examined, ListLine } from "./examine-list.ts";
import { Expires, RuleName } from "./rule-state.tsx";
import { type Outcome, VerdictBadge } from "./verdict.tsx";
import { type RowLook, VirtualRows } from "./virtual-rows.tsx";

const OUTCOMES: readonly (readonly [outcome: Outcome, title: string])[] = [
  ["error", "Errors"],
  ["conflict", "Conflicts"],
  ["removed", "Removed"],
  ["created", "Created"],
  ["updated", "Updated"],
  ["skipped", "Skipped"],
  ["superfluous", "Superfluous"],
  ["united", "United"],
  ["kept", "Kept for now"],
];
const COLUMNS = [
  { title: "Line", kind: "line" },
  { title: "Address", kind: "ip" },
  { title: "Result", kind: "status" },
  { title: "Details", kind: "what" },
];

/** The results for a list's lines, those with errors first. */
export function ExaminedList({ examined, isBusy }: { readonly examined: Examined; readonly isBusy: boolean }) {
  const [only, setOnly] = useState<Outcome>();
  const { counts, lines, unchanged } = examined;
  const given = OUTCOMES.filter(([outcome]) => (counts[outcome] ?? 0) > 0);
  const wanted = given.some(([outcome]) => outcome === only) ? only : undefined;
  const shown = wanted === undefined ? lines : lines.filter(({ verdict }) => verdict === wanted);
  const total = given.reduce((sum, [outcome]) => sum + counts[outcome]!, 0);
  const isNumbered = lines.some(({ line }) => line !== undefined);
  const look = useCallback((index: number): RowLook => lookOf(shown[index]!), [shown]);
  return (
    <>
      <div class="filter-bar">
        <Segments
          legend="Result"
          name="verdict"
          value={wanted}
          choices={[
            [undefined, "All", total],
            ...given.map(([outcome, title]) => [outcome, title, counts[outcome]] as const),
          ]}
          onChange={setOnly}
        />
        {unchanged > 0 && <p class="muted">{formatCount(unchanged)} unchanged</p>}
      </div>
      {shown.length > 0 && (
        <VirtualRows
          label="Results"
          kind={isNumbered ? "verdicts" : "verdicts unnumbered"}
          columns={COLUMNS}
          count={shown.length}
          rowHeight={58}
          row={look}
          isBusy={isBusy}
          contentKey={wanted}
        />
      )}
      {examined.isCut && (
        <p class="table-foot muted small">
          {formatCount(lines.length)} lines are shown, those with errors first; the counts include all lines.
        </p>
      )}
    </>
  );
}

function lookOf({ line, ip, verdict, message, reason, before, after }: ListLine): RowLook {
  const what =
    message !== undefined ? (
      <span class="field-error" title={message}>
        {message}
      </span>
    ) : reason !== undefined ? (
      <span class="reason">{reason}</span>
    ) : (
      <Difference before={before} after={after} />
    );
  return {
    kind: verdict,
    cells: [
      line === undefined ? "" : formatCount(line),
      <code title={ip}>
        <bdi>{ip}</bdi>
      </code>,
      <VerdictBadge verdict={verdict} />,
      what,
    ],
  };
}

function Difference({ before, after }: { readonly before: Rule | undefined; readonly after: Rule | undefined }) {
  if (before === undefined || after === undefined)
    return (
      <span class="difference">
        {[before ?? after].map((rule) => rule !== undefined && <Short key="rule" rule={rule} />)}
      </span>
    );
  return (
    <span class="difference">
      <Short rule={before} />
      <span class="arrow">
        <span class="hidden">becomes </span>
        <span aria-hidden="true">→</span>
      </span>
      <Short rule={after} />
    </span>
  );
}

function Short({ rule }: { readonly rule: Rule }) {
  return (
    <span class="short">
      <span class="text" title={rule.name ?? undefined}>
        <RuleName name={rule.name} />
      </span>
      <span class="small">
        {rule.expires_at === null ? <span class="muted">never expires</span> : <Expires at={rule.expires_at} />}
      </span>
    </span>
  );
}
