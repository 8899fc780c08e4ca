import { Spark } from "../charts/spark.tsx";
import type { Status, Usage } from "../documents.ts";
import { formatCount } from "../format.ts";

interface Props {
  readonly status: Status;
  readonly usage: Usage;
}

/** The last day in figures and pictures. */
export function LastDay({ status: { hours, days, at }, usage: { steps, rules } }: Props) {
  const today = days.find(({ day }) => day.slice(0, 10) === at.slice(0, 10))?.pulls ?? 0;
  const lookups = steps.map((step) => step.lookups);
  const requests = sum(steps.map((step) => step.requests));
  const rejected = sum(steps.map(({ refused, failed }) => refused + failed));
  const blockedRequests = hours.map((hour) => hour.blocked_requests);
  const packets = hours.map((hour) => hour.blocked_packets);
  const isOfPackets = sum(blockedRequests) === 0 && sum(packets) > 0;
  const blocked = isOfPackets ? packets : blockedRequests;
  const changes = hours.map((hour) => hour.changes);
  return (
    <div class="tiles">
      <Tile
        name="Addresses checked"
        value={sum(lookups)}
        more={`${formatCount(requests)} requests, ${formatCount(rejected)} rejected`}
        values={lookups}
        href="#/usage"
      />
      <Tile
        name="Lists fetched today"
        value={today}
        more={`${formatCount(sum(days.map(({ pulls }) => pulls)))} in 31 days`}
        values={days.map(({ pulls }) => pulls)}
        href="#/deployments"
      />
      <Tile
        name={isOfPackets ? "Packets blocked" : "Requests blocked"}
        value={sum(blocked)}
        more="as bouncers and edge components report"
        values={blocked}
        href="#/deployments"
      />
      <Tile name="Changes" value={sum(changes)} more="in the last day" values={changes} href="#/audit" />
      <Tile
        name="Active rules"
        value={rules.active}
        more={`${formatCount(rules.expired)} expired`}
        values={[]}
        href="#/rulesets"
      />
    </div>
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

interface TileProps {
  readonly name: string;
  readonly value: number;
  readonly more: string;
  readonly values: readonly number[];
  readonly href: string;
}

function Tile({ name, value, more, values, href }: TileProps) {
  return (
    <a class="tile" href={href}>
      <p class="tile-name">{name}</p>
      <p class="tile-value">{formatCount(value)}</p>
      <p class="tile-more">{more}</p>
      {values.length > 1 && <Spark values={values} />}
    </a>
  );
}
