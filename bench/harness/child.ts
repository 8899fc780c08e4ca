/**
 * The process of one contender: builds its table, proves every answer, then times passes on request. Each has its own
 * process, because one contender's garbage, type feedback and heap must not affect another's figures.
 */
import { Bench } from "tinybench";
import { readDataset } from "../data/dataset.ts";
import { answerWith } from "./ask.ts";
import { addressTexts } from "../data/texts.ts";
import { isWhole } from "./contender.ts";
import { wordsPerAddress } from "../data/table-data.ts";
import { QUERY_KINDS } from "../data/queries.ts";
import { refusal } from "./prove.ts";
import type { Assignment, MeasureRequest, Measured, Ready } from "./messages.ts";
import type { Built, Contender, Form, Pass, Queries } from "./contender.ts";
import type { Dataset } from "../data/dataset.ts";
import type { QueryKind } from "../data/queries.ts";

/** Milliseconds. */
const SHORT_PASS = 40;

/** A built contender with its passes; every answer it gives is checked here. */
class Prepared {
  readonly contender: Contender;
  readonly #built: Built;
  readonly #dataset: Dataset;
  readonly #singleCount: number;
  readonly #texts = new Map<QueryKind, string[]>();
  readonly #passes = new Map<string, Pass>();
  readonly #short = new Set<string>();

  constructor(contender: Contender, built: Built, dataset: Dataset, singleCount: number) {
    this.contender = contender;
    this.#built = built;
    this.#dataset = dataset;
    this.#singleCount = singleCount;
  }

  count(form: Form, kind: QueryKind): number {
    const all = this.#dataset.queries[kind].answers.length;
    return isWhole(form) ? all : Math.min(all, this.#singleCount);
  }

  createOut(form: Form, kind: QueryKind): Uint32Array {
    const count = this.count(form, kind);
    return this.#built.createOut?.(count).fill(0) ?? new Uint32Array(count);
  }

  pass(form: Form, kind: QueryKind): Pass {
    const key = `${form} ${kind}`;
    let pass = this.#passes.get(key);
    if (pass === undefined) this.#passes.set(key, (pass = this.#built.pass(form, this.#queries(form, kind))));
    return pass;
  }

  /** Runs a pass for the first time and remembers how long it took. */
  firstPass(form: Form, kind: QueryKind): Uint32Array {
    const out = this.createOut(form, kind);
    const pass = this.pass(form, kind);
    const start = performance.now();
    pass(out);
    if (performance.now() - start < SHORT_PASS) this.#short.add(`${form} ${kind}`);
    return out;
  }

  /** Whether a pass is so short that cold caches at its start would show. */
  isShort(form: Form, kind: QueryKind): boolean {
    return this.#short.has(`${form} ${kind}`);
  }

  /** Checks what the last pass of that form and kind left in `out`. */
  check(form: Form, kind: QueryKind, out: Uint32Array): string | null {
    const answers = this.#built.toAnswers?.(out) ?? out;
    const values = this.#dataset.queries[kind].answers.subarray(0, out.length);
    const found = refusal(
      this.contender.answers,
      answers,
      values,
      (index) => this.#textsOf(kind)[index] ?? `query ${index}`,
    );
    return found && `${form}, ${kind}: ${found}`;
  }

  #queries(form: Form, kind: QueryKind): Queries {
    const { family } = this.#dataset.table;
    const count = this.count(form, kind);
    const words = this.#dataset.queries[kind].words.subarray(0, count * wordsPerAddress(family));
    const lines =
      form === "lines"
        ? Buffer.from(
            addressTexts(family, words)
              .map((text) => `${text}\n`)
              .join(""),
            "latin1",
          )
        : Buffer.alloc(0);
    return { family, count, words, texts: isWhole(form) ? [] : this.#textsOf(kind), lines };
  }

  #textsOf(kind: QueryKind): string[] {
    let texts = this.#texts.get(kind);
    if (texts === undefined) {
      const { family } = this.#dataset.table;
      const words = this.#dataset.queries[kind].words.subarray(0, this.#singleCount * wordsPerAddress(family));
      this.#texts.set(kind, (texts = addressTexts(family, words)));
    }
    return texts;
  }
}

async function prepare(assignment: Assignment): Promise<Ready> {
  const { contender } = (await import(assignment.module)) as { contender: Contender };
  const dataset = readDataset(assignment.dataset);
  const start = performance.now();
  const built = await contender.build(dataset.table);
  const buildMilliseconds = performance.now() - start;
  prepared = new Prepared(contender, built, dataset, assignment.singleCount);
  const { name, package: packageName, forms } = contender;
  return { type: "ready", name, package: packageName, forms, buildMilliseconds, refused: prove(prepared) };
}

/** Asks every query at least once in every form (which warms the code up as well) and compares all answers. */
function prove(prepared: Prepared): string | null {
  for (const form of prepared.contender.forms) {
    for (const kind of QUERY_KINDS) {
      const out = prepared.firstPass(form, kind);
      const refused = prepared.check(form, kind, out);
      if (refused !== null) return refused;
    }
  }
  return null;
}

function measure(prepared: Prepared, { form, kind, milliseconds }: MeasureRequest): Measured {
  const pass = prepared.pass(form, kind);
  const out = prepared.createOut(form, kind);
  // the code is warm since it was proved; a short pass is warmed up again, since another contender had the caches
  // meanwhile
  const warmup = { warmup: prepared.isShort(form, kind), warmupTime: 0, warmupIterations: 1 };
  const bench = new Bench({ time: milliseconds, iterations: 1, ...warmup, retainSamples: true, throws: true });
  const [task] = bench.add("pass", () => pass(out)).runSync();
  const result = task!.result;
  if (!("latency" in result)) throw new Error(`the pass ended as ${result.state}`);
  const samples = result.latency.samples!.map((sample) => (sample * 1e6) / out.length);
  return { type: "measured", samples, refused: prepared.check(form, kind, out) };
}

let prepared: Prepared | undefined;
answerWith(async (message: Assignment | MeasureRequest) =>
  "module" in message ? prepare(message) : measure(prepared!, message),
);
