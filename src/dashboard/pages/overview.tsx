import { Page, Panel } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { session } from "../session.ts";

export default function Overview() {
  const { organisation, plans } = session.value!;
  return (
    <Page title="Overview" about={organisation.name}>
      <Panel title="Plans">
        <dl class="facts">{plans.map(({ area, active, until }) => [<dt>{area}</dt>, <dd>{active ? "active" : "not active"}{until !== null && <> until <Time at={until} /></>}</dd>])}</dl>
      </Panel>
    </Page>
  );
}
