import { type describeMachine, newestOf } from "../record.ts";
import { figure } from "../report.ts";
import { medianOf } from "./measure.ts";
import type { MeasuredOperation, MeasuredRequest, NeighbourMeasurements } from "./measure-neighbours.ts";

/** What a run found, as it stands in bench/record/. */
export interface NeighbourRecord extends NeighbourMeasurements {
  readonly format: 1;
  readonly startedAt: string;
  readonly machine: ReturnType<typeof describeMachine>;
  /** Of the neighbour's rulesets. */
  readonly rules: number;
  /** For each request. */
  readonly seconds: number;
  /** A server that blocks for 300 ms: beyond both limits. */
  readonly control: MeasuredOperation;
}

/** The newest record about all operations; undefined where there is none yet. */
export function newestNeighbourRecord(): NeighbourRecord | undefined {
  return newestOf(/-neighbours\.json$/) as NeighbourRecord | undefined;
}

/** Limits in milliseconds: of the 99th percentile, and of every request. */
const AIM = { p99: 50, longest: 200 } as const;
const WORST = 10;

/** Whether the victim was served the whole time, within the limits. */
export function isWithin({ requests }: MeasuredOperation): boolean {
  return requests.every(
    ({ victim, memory }) =>
      victim.p99 <= AIM.p99 && victim.longest <= AIM.longest && refusedOf(victim) === 0 && memory !== null,
  );
}

function refusedOf({ refused }: MeasuredRequest["victim"]): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0);
}

/** The costliest of an operation's requests: the one beside which the victim waits longest. */
export function worstOf({ requests }: MeasuredOperation): MeasuredRequest {
  return requests.reduce((worst, each) => (costOf(each) > costOf(worst) ? each : worst));
}

function costOf({ victim, memory }: MeasuredRequest): number {
  return memory === null || Number.isNaN(victim.p99) ? Infinity : victim.p99;
}

const HEAD = [
  "| operation | its costliest request | victim's p50 | p99 | longest | not served | memory |",
  "|---|---|---|---|---|---|---|",
];

/** A row for every operation, the worst first. */
export function operationLines({ operations }: Pick<NeighbourRecord, "operations">): string {
  return `${[...HEAD, ...byCost(operations).map((each) => rowOf(each))].join("\n")}\n`;
}

function byCost(operations: readonly MeasuredOperation[]): MeasuredOperation[] {
  return operations.toSorted((a, b) => costOf(worstOf(b)) - costOf(worstOf(a)));
}

function rowOf(operation: MeasuredOperation): string {
  const { name, victim, memory } = worstOf(operation);
  const { p50, p99, longest, sent } = victim;
  const share = `${figure((100 * refusedOf(victim)) / Math.max(1, sent))} %`;
  const end = memory === null ? "the server ended" : `${figure(Math.round(memory))} MiB`;
  return `| ${nameOf(operation)} | ${name} | ${time(p50)} | ${time(p99)} | ${time(longest)} | ${share} | ${end} |`;
}

function nameOf({ scope, operation }: MeasuredOperation): string {
  return scope === "dashboard" ? `\`${operation}\`, dashboard` : `\`${operation}\``;
}

function time(milliseconds: number): string {
  return Number.isFinite(milliseconds) ? `${figure(milliseconds)} ms` : "none";
}

/** For README.md: how many operations stay within the limits. Every number comes from the record. */
export function summaryTable(record: NeighbourRecord): string {
  const { operations, alone, machine, startedAt, rules, seconds } = record;
  const worst = operations.map((each) => worstOf(each));
  const within = (limit: (each: MeasuredRequest) => boolean): string =>
    `${worst.filter(limit).length} of ${operations.length}`;
  const rows = [
    ["a victim's requests without a neighbour, p99", "", time(medianOf(alone.map(({ p99 }) => p99)))],
    [
      "beside the costliest requests of each operation, p99: the median of operations",
      `≤ ${AIM.p99} ms`,
      time(medianOf(worst.map(({ victim }) => victim.p99))),
    ],
    [
      "operations with a p99 within that",
      "all",
      within(({ victim, memory }) => memory !== null && victim.p99 <= AIM.p99),
    ],
    [
      `operations beside which no request took more than ${AIM.longest} ms`,
      "all",
      within(({ victim, memory }) => memory !== null && victim.longest <= AIM.longest),
    ],
    [
      "operations beside which every request was served",
      "all",
      within(({ victim, memory }) => memory !== null && refusedOf(victim) === 0),
    ],
  ];
  return [
    "| figure | aim | measured |",
    "|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
    `${machine.cpu}, ${machine.cores} cores, Node ${machine.node.slice(1)}, commit ${machine.commit}, ${startedAt.slice(0, 10)}. Two connections repeat each request for ${seconds} s; the neighbour has rulesets of ` +
      `${figure(rules)} rules. All operations: \`bench/record/\`. To measure again: \`npm run bench -- neighbours\`.`,
    "",
  ].join("\n");
}

/** For docs/operating.md: the operations that affect others most. Every number comes from the record. */
export function worstTable({ operations, machine, startedAt }: NeighbourRecord): string {
  return [
    `The ${Math.min(WORST, operations.length)} operations that other clients feel most (commit ${machine.commit}, ${startedAt.slice(0, 10)}; all of them are in \`bench/record/\`):`,
    "",
    ...HEAD,
    ...byCost(operations)
      .slice(0, WORST)
      .map((each) => rowOf(each)),
    "",
  ].join("\n");
}
