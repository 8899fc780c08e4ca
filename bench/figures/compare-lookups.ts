import { ensureDataset } from "../data/dataset.ts";
import { QUERY_KINDS } from "../data/queries.ts";
import { startFleet } from "../harness/fleet.ts";
import { summarize } from "./part.ts";
import type { AnyDataset } from "../data/dataset.ts";
import type { Form } from "../harness/contender.ts";
import type { Measurement, PartResult } from "./part.ts";
import type { Member, Rejection } from "../harness/fleet.ts";
import type { QueryKind } from "../data/queries.ts";

export interface Comparison {
  readonly table: AnyDataset;
  /** Names of files in bench/contenders/, or addresses of modules. */
  readonly contenders: readonly string[];
  readonly rounds: number;
  /** How long a contender's turn is, at least; it always makes one whole pass. */
  readonly milliseconds: number;
  readonly singleCount: number;
}

/** 2^17 addresses where each takes a call of its own: a turn of the slowest contender stays near a second. */
export const FULL = { rounds: 5, milliseconds: 60, singleCount: 1 << 17 } as const;

/** Measures all forms of all contenders on all kinds of queries; in every round each contender has one turn. */
export async function compareLookups(comparison: Comparison): Promise<PartResult> {
  await ensureDataset(comparison.table);
  using fleet = await startFleet(
    comparison.contenders.map((name) => ({
      module: moduleOf(name),
      dataset: comparison.table,
      singleCount: comparison.singleCount,
    })),
  );
  const refusals: Rejection[] = [...fleet.refusals];
  const measurements: Measurement[] = [];
  for (const kind of QUERY_KINDS) {
    const turns = fleet.members.flatMap((member) => member.ready.forms.map((form) => new Turn(member, form, kind)));
    for (let round = 0; round < comparison.rounds; round++) {
      for (const turn of turns) await turn.take(comparison.milliseconds);
    }
    for (const turn of turns) {
      if (turn.refused !== null) refusals.push({ contender: turn.name, reason: turn.refused });
      measurements.push(turn.measurement(comparison.table));
    }
  }
  return { measurements: withoutRefused(measurements, refusals), refusals, notes: [] };
}

/** One contender's turns in one form on one kind of queries. */
class Turn {
  readonly name: string;
  refused: string | null = null;
  readonly #member: Member;
  readonly #form: Form;
  readonly #kind: QueryKind;
  readonly #samples: number[] = [];

  constructor(member: Member, form: Form, kind: QueryKind) {
    this.name = member.ready.name;
    this.#member = member;
    this.#form = form;
    this.#kind = kind;
  }

  async take(milliseconds: number): Promise<void> {
    const { samples, refused } = await this.#member.measure({ form: this.#form, kind: this.#kind, milliseconds });
    this.#samples.push(...samples);
    this.refused ??= refused;
  }

  measurement(table: AnyDataset): Measurement {
    return {
      subject: this.name,
      table,
      form: this.#form,
      kind: this.#kind,
      unit: "ns/lookup",
      ...summarize(this.#samples),
    };
  }
}

/** A contender that was wrong once is not quoted. */
function withoutRefused(measurements: readonly Measurement[], refusals: readonly Rejection[]): Measurement[] {
  const refused = new Set(refusals.map(({ contender }) => contender));
  return measurements.filter(({ subject }) => !refused.has(subject));
}

export function moduleOf(name: string): string {
  return name.includes(":") ? name : new URL(`../contenders/${name}.ts`, import.meta.url).href;
}
