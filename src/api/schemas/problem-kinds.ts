import { type TSchema, Type } from "typebox";
import type { ProblemKind } from "../problem.ts";
import { GONE_CHANGES } from "./change.ts";
import { FieldMessages } from "./common.ts";
import { problemOf } from "./problem.ts";
import { DatasetShrinkProblem } from "./threats.ts";
import { CollateralProblem } from "./collateral.ts";
import { BatchResult, RuleSchema, ShrinkProblem } from "./rule.ts";

/** Kinds of problem that have properties of their own. */
const SCHEMAS: Readonly<Partial<Record<ProblemKind, TSchema>>> = {
  "validation-error": problemOf("validation-error", { validation_errors: FieldMessages }),
  conflict: problemOf("conflict", {
    existing: Type.Optional(RuleSchema),
    results: Type.Optional(
      Type.Array(BatchResult, { description: "for a batch: one result per item, in the same order" }),
    ),
  }),
  gone: problemOf("gone", GONE_CHANGES),
  "precondition-failed": problemOf("precondition-failed", { existing: Type.Optional(RuleSchema) }),
  "shrinks-too-much": ShrinkProblem,
  collateral: CollateralProblem,
  "dataset-shrinks": DatasetShrinkProblem,
};

/** The document of problems of a kind. */
export function problemSchema(kind: ProblemKind): TSchema {
  return SCHEMAS[kind] ?? problemOf(kind, {});
}
