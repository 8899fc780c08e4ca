import type { AnyDataset } from "../data/dataset.ts";
import type { Form } from "./contender.ts";
import type { QueryKind } from "../data/queries.ts";

/** What the child process of one contender is started with. */
export interface Assignment {
  /** The module that exports `contender`. */
  readonly module: string;
  readonly dataset: AnyDataset;
  /** How many of the dataset's queries are asked in the forms that take one address per call. */
  readonly singleCount: number;
}

/** Parent to child: time one pass or more over the queries, for about `milliseconds`. */
export interface MeasureRequest {
  readonly form: Form;
  readonly kind: QueryKind;
  readonly milliseconds: number;
}

/** Child to parent, once: the table is built and every answer in every form was compared with the right one. */
export interface Ready {
  readonly type: "ready";
  readonly name: string;
  readonly package: string | null;
  readonly forms: readonly Form[];
  readonly buildMilliseconds: number;
  /** Why this contender may not be quoted; null when all answers were right. */
  readonly refused: string | null;
}

/**
 * Child to parent, for each request: nanoseconds per lookup of every pass; `refused` if the last pass had a wrong
 * answer.
 */
export interface Measured {
  readonly type: "measured";
  readonly samples: readonly number[];
  readonly refused: string | null;
}
