import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Note } from "../components/states.tsx";
import { Panel } from "../components/page.tsx";
import { Table } from "../components/table.tsx";
import type { Identification } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { hrefOf } from "../location.ts";
import { CreateRuleset } from "../rulesets/ruleset-dialogs.tsx";
import { hasPlan, hasRole } from "../session.ts";
import { DecidingRules, type TopAddress } from "./deciding-rules.tsx";

/** The addresses with the most lines, separately for those with a service and those without. */
export function TopAddresses({
  of: { top_addresses: top, ruleset_comparison: comparison },
}: {
  readonly of: Identification;
}) {
  if (top === null || top.matched.length + top.unmatched.length === 0) return null;
  const withRules = comparison !== null;
  return (
    <>
      {top.lines_missing > 0 && (
        <Note kind="warning">
          This log has too many different addresses to count each. The counts of addresses below are minimums: any
          address may have up to {formatCounted(top.lines_missing, "more line")}.
        </Note>
      )}
      <Ranking
        title="Top addresses with a service"
        addresses={top.matched}
        count={top.matched_count}
        withServices
        withRules={withRules}
      />
      <Ranking
        title="Top addresses without a service"
        addresses={top.unmatched}
        count={top.unmatched_count}
        withRules={withRules}
      />
    </>
  );
}

/** Addresses with their lines. `count`: how many there are in all, if known. */
export function Ranking({
  title,
  addresses,
  count,
  withServices = false,
  withRules,
}: {
  readonly title: string;
  readonly addresses: readonly TopAddress[];
  readonly count: number | null;
  readonly withServices?: boolean;
  readonly withRules: boolean;
}) {
  if (addresses.length === 0) return null;
  const services = {
    title: "Services",
    cell: ({ labels }: TopAddress) => <span class="wrap">{labels.join(", ")}</span>,
  };
  const rules = { title: "Rules", cell: (address: TopAddress) => <DecidingRules of={address} /> };
  return (
    <Panel title={title} flush actions={hasPlan("edl") && hasRole("editor") && <DraftRuleset of={addresses} />}>
      {count !== null && count > addresses.length && (
        <p class="panel-note muted small">
          The first {formatCount(addresses.length)} of {formatCount(count)} addresses.
        </p>
      )}
      <Table
        scrollsAs={title}
        caption="Most lines first"
        rows={addresses}
        keyOf={({ ip }) => ip}
        columns={[
          {
            title: "Address",
            cell: ({ ip }) => (
              <a class="mono wrap" href={hrefOf("/lookup", { ip })}>
                {ip}
              </a>
            ),
          },
          ...(withServices ? [services] : []),
          ...(withRules ? [rules] : []),
          { title: "Lines", kind: "number", cell: ({ lines }) => formatCount(lines) },
        ]}
      />
    </Panel>
  );
}

/** A ruleset of its own, whose rules are reviewed before they are added. */
function DraftRuleset({ of }: { readonly of: readonly TopAddress[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Make a draft ruleset of these
      </Button>
      {isOpen && <CreateRuleset list={of.map(({ ip }) => ip).join("\n")} onClose={() => setOpen(false)} />}
    </>
  );
}
