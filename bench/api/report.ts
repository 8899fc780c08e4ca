import type { Machine } from "../record.ts";
import { figure } from "../report.ts";
import { type Measurement, medianOf } from "./measure.ts";

/** What a run found, as it stands in bench/record/. */
export interface ApiRecord {
  readonly format: 2;
  readonly startedAt: string;
  readonly machine: Machine;
  readonly rules: number;
  /** What the service looks up in. */
  readonly catalogue: { readonly name: string; readonly prefixes: number };
  readonly measurements: readonly Measurement[];
}

/** All measurements, then the figures with targets, as a table in Markdown. */
export function figureLines(record: ApiRecord): string {
  const lines = record.measurements.map(
    ({ subject, unit, median, samples }) =>
      `${subject}: ${figure(median)} ${unit} (${figure(Math.min(...samples))} to ${figure(Math.max(...samples))})`,
  );
  const table = [
    "| figure | aim | measured |",
    "|---|---|---|",
    ...figures(record).map((row) => `| ${row.join(" | ")} |`),
  ];
  return `${[...lines, "", ...table].join("\n")}\n`;
}

/** The median of the ratios of adjacent turns. */
function ratioOf({ samples }: Measurement, other: Measurement): number {
  return medianOf(samples.map((sample, turn) => sample / other.samples[turn]!));
}

function figures({ catalogue, measurements }: ApiRecord): [figure: string, aim: string, measured: string][] {
  const measured = (subject: string, unit: Measurement["unit"]): Measurement =>
    measurements.find((each) => each.subject === subject && each.unit === unit)!;
  const of = (subject: string, unit: Measurement["unit"]): number => measured(subject, unit).median;
  const rate = (subject: string): number => of(subject, "requests/s");
  const against = (subject: string, other: string): string => {
    const ratio = ratioOf(measured(subject, "requests/s"), measured(other, "requests/s"));
    const cost = ratioOf(measured(other, "processor µs/request"), measured(subject, "processor µs/request"));
    return `${figure(ratio)} × (${figure(rate(subject))} against ${figure(rate(other))} requests/s); by processor time ${figure(cost)} ×`;
  };
  const bulk = of("bulk lookup of 10,000 addresses, whole request", "ms");
  const json = of("JSON.parse and JSON.stringify of its bodies", "ms");
  const checked = (suffix: string): string =>
    `${figure(10 / of(`10,000 texts to rules, batch, kernel${suffix}`, "processor ms"))} M/s`;
  const writes = rate("durable addRule, 64 connections");
  const naive = rate("SQLite, one commit for each row");
  return [
    [
      "`GET /v1/cti/lookup` against a bare Fastify route",
      "≥ 0.7 ×",
      against("GET /v1/cti/lookup", "bare Fastify, threat document"),
    ],
    [
      "`GET /v1/cbs/lookup` against a bare Fastify route",
      "≥ 0.7 ×",
      against("GET /v1/cbs/lookup", "bare Fastify, services document"),
    ],
    [
      "`rules:check` on 1,000,000 rules against the lookup of threats",
      "≥ 1 / 1.2",
      against("POST rules:check, 1,000,000 rules", "GET /v1/cti/lookup"),
    ],
    [
      "… against a bare Fastify route that reads the same body",
      "≥ 0.9 ×",
      against("POST rules:check, 1,000,000 rules", "bare Fastify, body read, answer of a check"),
    ],
    ["bulk check of 10,000 addresses in 1,000,000 rules, to the rules", "≥ 5 M/s", checked("")],
    ["… with 15,000 rules added since the freeze", "≥ 4 M/s", checked(", 15000 rules added since")],
    [
      "bulk lookup of 10,000 addresses, inside the handler",
      "≥ 5 M addresses/s",
      `${figure(of("bulk lookup inside the handler", "addresses/s") / 1e6)} M/s`,
    ],
    ["… whole request against reading and writing its JSON", "≤ 2 ×", `${figure(bulk / json)} × (${figure(bulk)} ms)`],
    [
      "durable `addRule`, 64 connections, against a commit for each",
      "≥ 10,000/s, some 10 ×",
      `${figure(writes)}/s, ${figure(writes / naive)} ×`,
    ],
    [
      "a page anywhere in 1,000,000 rules beside 500 writes/s, 99th percentile",
      "≤ 20 ms",
      `${figure(of("rules page anywhere in 1,000,000 rules, 99th percentile", "ms"))} ms`,
    ],
    [
      `start with 1,000,000 rules and a catalogue of ${figure(catalogue.prefixes)} prefixes (${catalogue.name})`,
      "≤ 1 s",
      `${figure(of("start with 1,000,000 rules", "ms") / 1000)} s (${figure(of("start with 1,000,000 rules", "processor ms") / 1000)} s of processor time)`,
    ],
  ];
}
