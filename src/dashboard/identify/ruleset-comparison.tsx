import { ShareBar } from "../charts/share-bar.tsx";
import { Badge } from "../components/badge.tsx";
import { Panel } from "../components/page.tsx";
import { Note } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import type { Identification } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { hrefOf } from "../location.ts";
import { PurposeBadge } from "../rulesets/purpose-badge.tsx";
import { Ranking } from "./top-addresses.tsx";

type Comparison = NonNullable<Identification["ruleset_comparison"]>;

/** How much of a log the organisation's own rulesets cover, and which of their rules decide. */
export function RulesetComparison({ of: { ruleset_comparison: of } }: { readonly of: Identification }) {
  if (of === null) return null;
  const { lines_missing: missing, top_addresses: top, covered_by: by } = of;
  return (
    <>
      {missing > 0 && (
        <Note kind="warning">
          This log has too many different addresses to count each. The ruleset figures are minimums: they count{" "}
          {formatCounted(of.addresses, "address", "addresses")}, and leave out {formatCounted(missing, "line")}.
        </Note>
      )}
      <div class="columns">
        <Panel>
          <Shares of={of} unit="lines" title={`Lines by ruleset decision${missing > 0 ? ", at least" : ""}`} />
        </Panel>
        <Panel>
          <Shares of={of} unit="addresses" title={`Addresses by ruleset decision${missing > 0 ? ", at least" : ""}`} />
        </Panel>
      </div>
      {by.both.lines > 0 && (
        <Note kind="warning">
          {formatCounted(by.both.addresses, "address is", "addresses are")} on an allowlist and on a blocklist. Allow
          before block: each list is exported separately, so a firewall must check the allowlist first.
        </Note>
      )}
      <Rulesets of={of} />
      <Ranking
        title="Top addresses in rulesets"
        addresses={top}
        count={missing > 0 ? null : by.allowlists_only.addresses + by.blocklists_only.addresses + by.both.addresses}
        withServices
        withRules
      />
    </>
  );
}

function Shares({
  of: { covered_by: by },
  unit,
  title,
}: {
  readonly of: Comparison;
  readonly unit: "lines" | "addresses";
  readonly title: string;
}) {
  const shares = [
    { name: "Allowed", value: by.allowlists_only[unit], color: 2 },
    { name: "Blocked", value: by.blocklists_only[unit], color: 1 },
    { name: "On both (allowed)", value: by.both[unit], color: 3 },
    { name: "No active rule", value: by.neither[unit], color: 7 },
  ];
  return <ShareBar title={title} shares={shares} />;
}

function Rulesets({ of: { rulesets, rulesets_left_out: leftOut, as_of: asOf } }: { readonly of: Comparison }) {
  return (
    <Panel title="Rulesets" flush>
      <p class="panel-note muted small">
        Rules that had expired when the upload started (<Time at={asOf} />) are not counted.
        {leftOut > 0 && ` ${formatCounted(leftOut, "more ruleset was", "more rulesets were")} not compared.`}
      </p>
      <Table
        scrollsAs="Compared rulesets"
        caption="Compared rulesets, oldest first"
        rows={rulesets}
        keyOf={({ id }) => id}
        isFaded={({ covered }) => covered === null}
        columns={[
          {
            title: "Name",
            cell: ({ id, name, covered }) =>
              covered === null ? (
                <>
                  <span class="wrap">{name}</span> <Badge>deleted</Badge>
                </>
              ) : (
                <a class="wrap" href={hrefOf(`/rulesets/${id}`)}>
                  {name}
                </a>
              ),
          },
          { title: "Purpose", cell: ({ purpose }) => <PurposeBadge purpose={purpose} /> },
          { title: "Lines", kind: "number", cell: ({ covered }) => countOf(covered?.lines) },
          { title: "Addresses", kind: "number", cell: ({ covered }) => countOf(covered?.addresses) },
        ]}
      />
    </Panel>
  );
}

function countOf(count: number | undefined): string {
  return count === undefined ? "–" : formatCount(count);
}
