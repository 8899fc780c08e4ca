import { Note } from "../components/states.tsx";
import { Panel } from "../components/page.tsx";
import { Table } from "../components/table.tsx";
import type { Identification } from "../documents.ts";
import { formatCount, formatCounted } from "../format.ts";
import { hrefOf } from "../place.ts";

type Top = NonNullable<Identification["top_addresses"]>;
type Address = Top["matched"][number];

/** The addresses with the most lines, of those with a service and of those without. */
export function TopAddresses({ of: { top_addresses: top } }: { readonly of: Identification }) {
  if (top === null || top.matched.length + top.unmatched.length === 0) return null;
  return (
    <>
      {top.lines_missing > 0 && (
        <Note kind="warning">
          This log has too many different addresses to count each. The counts of addresses below are minimums: any
          address may have up to {formatCounted(top.lines_missing, "more line")}.
        </Note>
      )}
      <Ranking title="Top addresses with a service" addresses={top.matched} count={top.matched_count} isKnown />
      <Ranking title="Top addresses without a service" addresses={top.unmatched} count={top.unmatched_count} />
    </>
  );
}

function Ranking({
  title,
  addresses,
  count,
  isKnown = false,
}: {
  readonly title: string;
  readonly addresses: readonly Address[];
  readonly count: number | null;
  readonly isKnown?: boolean;
}) {
  if (addresses.length === 0) return null;
  const services = { title: "Services", cell: ({ labels }: Address) => <span class="wrap">{labels.join(", ")}</span> };
  return (
    <Panel title={title} flush>
      {count !== null && count > addresses.length && (
        <p class="panel-note muted small">
          The first {formatCount(addresses.length)} of {formatCount(count)} addresses.
        </p>
      )}
      <div class="scroll-long" tabIndex={0} role="region" aria-label={title}>
        <Table
          caption="Those with the most lines first"
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
            ...(isKnown ? [services] : []),
            { title: "Lines", kind: "number", cell: ({ lines }) => formatCount(lines) },
          ]}
        />
      </div>
    </Panel>
  );
}
