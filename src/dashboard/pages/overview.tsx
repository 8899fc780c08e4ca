import { get } from "../api.ts";
import { AddressBox } from "../components/address-box.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Plans } from "../components/plans.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatCount } from "../format.ts";
import { type Loading, useLoad } from "../load.ts";
import { useChanges } from "../live.ts";
import { Attention } from "../overview/attention.tsx";
import { LastDay } from "../overview/last-day.tsx";
import { hasPlan, hasRole, session } from "../session.ts";

/** The state first, as whoever is on call needs it; then what happened; then what is there. */
export default function Overview() {
  const [status, usage, changes] = [useStatus(), useUsage(), useLastChanges()];
  useChanges(() => {
    status.reload();
    usage.reload();
    changes.reload();
  });
  return (
    <Page title="Overview" about={session.value!.organisation.name}>
      <Loaded of={status} lines={1}>
        {(known) => <Attention status={known} />}
      </Loaded>
      <AddressBox />
      <Loaded of={usage} lines={2}>
        {(known) => status.data !== undefined && <LastDay status={status.data} usage={known} />}
      </Loaded>
      <div class="columns">
        {hasRole("admin") ? (
          <LastChanges of={changes} />
        ) : (
          <Panel title="Plans">
            <Plans />
          </Panel>
        )}
        {hasPlan("edl") && <Rulesets />}
      </div>
    </Page>
  );
}

const useStatus = () => useLoad((signal) => get("/dashboard/api/status", { signal }));
const useUsage = () =>
  useLoad((signal) => get("/dashboard/api/usage", { params: { query: { window: "day" } }, signal }));

const MAX_RULESETS = 8;

function Rulesets() {
  const rulesets = useLoad((signal) =>
    get("/dashboard/api/edl/ip-rulesets/", { params: { query: { page_size: MAX_RULESETS } }, signal }),
  );
  return (
    <Panel title="Rulesets" actions={<a href="#/rulesets">All rulesets</a>} flush>
      <Loaded of={rulesets}>
        {({ items }) => (
          <Table
            caption="Rulesets"
            rows={items}
            keyOf={({ id }) => id}
            empty={<Empty icon="rulesets" title="No rulesets yet" />}
            columns={[
              {
                title: "Name",
                cell: ({ id, name }) => (
                  <a class="wrap" href={`#/rulesets/${id}`}>
                    {name}
                  </a>
                ),
              },
              { title: "Purpose", cell: ({ purpose }) => purpose },
              { title: "Active rules", kind: "number", cell: ({ active_rules }) => formatCount(active_rules) },
              { title: "Changed", cell: ({ updated_at }) => <Time at={updated_at} relative /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}

const MAX_CHANGES = 8;

interface Changes {
  readonly items: readonly {
    readonly sequence: number;
    readonly at: string;
    readonly summary: string;
    readonly actor: { readonly name: string | null };
  }[];
}

/** Only admins may read the audit log. */
const useLastChanges = (): Loading<Changes> =>
  useLoad(async (signal) =>
    hasRole("admin")
      ? get("/dashboard/api/audit", { params: { query: { limit: MAX_CHANGES } }, signal })
      : { items: [] },
  );

function LastChanges({ of }: { readonly of: Loading<Changes> }) {
  return (
    <Panel title="Recent changes" actions={<a href="#/audit">Audit log</a>} flush>
      <Loaded of={of}>
        {({ items }) => (
          <Table
            caption="Recent changes"
            rows={items.slice(0, MAX_CHANGES)}
            keyOf={({ sequence }) => sequence}
            empty={<Empty icon="audit" title="No changes yet" />}
            columns={[
              { title: "What", cell: ({ summary }) => <span class="wrap">{summary}</span> },
              { title: "Who", cell: ({ actor }) => actor.name },
              { title: "When", cell: ({ at }) => <Time at={at} relative /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
