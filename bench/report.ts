import type { BenchRecord } from "./record.ts";
import type { Measurement, PartResult } from "./figures/part.ts";
import type { QueryKind } from "./data/queries.ts";

/** The kinds of queries that a single figure for a contender is the geometric mean of. */
const MEAN_KINDS: readonly QueryKind[] = ["uniform", "hits", "skewed"];

/** A line per measurement and rejection, for the terminal. */
export function measurementLines(part: string, { measurements, refusals, notes }: PartResult): string {
  const lines = measurements.map(
    ({ subject, table, form, kind, engine, list, threads, unit, best, median, samples }) => {
      const what = [
        subject,
        table,
        form,
        kind,
        engine,
        list && `${list} list`,
        threads && `${threads} thread${threads > 1 ? "s" : ""}`,
      ]
        .filter(Boolean)
        .join(" ");
      return `${part}: ${what}: ${figure(median)} ${unit} (best ${figure(best)}, ${samples} samples)`;
    },
  );
  const refused = refusals.map(({ contender, reason }) => `${part}: refused ${contender}: ${reason}`);
  return [...lines, ...refused, ...notes].map((line) => `${line}\n`).join("");
}

/** Three significant digits. */
export function figure(value: number): string {
  return value >= 100
    ? Math.round(value).toLocaleString("en-US")
    : String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}

/** Best times over uniform, hits and skewed queries as a geometric mean, for a form of a contender. */
export interface MeanTime {
  readonly subject: string;
  readonly form: string;
  readonly best: number;
  readonly median: number;
}

/** The mean times of every form of every contender of a part, fastest first. */
export function meanTimes({ measurements }: PartResult, kinds: readonly QueryKind[] = MEAN_KINDS): MeanTime[] {
  const forms = Map.groupBy(
    measurements.filter(({ kind }) => kind !== undefined),
    ({ subject, form }) => `${subject}\n${form}`,
  );
  return [...forms.entries()]
    .map(([key, ofForm]) => {
      const [subject, form] = key.split("\n") as [string, string];
      return {
        subject,
        form,
        best: geometricMean(ofForm, kinds, "best"),
        median: geometricMean(ofForm, kinds, "median"),
      };
    })
    .toSorted((a, b) => a.median - b.median);
}

function geometricMean(
  measurements: readonly Measurement[],
  kinds: readonly QueryKind[],
  which: "best" | "median",
): number {
  const logarithms = kinds.map((kind) => Math.log(measurements.find((each) => each.kind === kind)![which]));
  return Math.exp(logarithms.reduce((sum, each) => sum + each, 0) / logarithms.length);
}

/** The measurement of `subject` in a part; with `about` where the part has several of them. */
export function measured(
  record: BenchRecord,
  part: string,
  subject: string,
  about: Partial<Measurement> = {},
): Measurement | undefined {
  return record.parts[part]?.measurements.find(
    (measurement) =>
      measurement.subject === subject &&
      Object.entries(about).every(([key, value]) => measurement[key as keyof Measurement] === value),
  );
}
