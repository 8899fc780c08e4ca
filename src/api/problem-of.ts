import type { FastifyError } from "fastify";
import { type RefusedCollateral, ServiceError, type ServiceErrorCode } from "../service/service-error.ts";
import { StoreError, type StoreErrorCode } from "../store/store-error.ts";
import { Problem, type ProblemKind } from "./problem.ts";
import { ruleDocument } from "../formats/rule-document.ts";
import { shrinkProblem } from "./shrink-problem.ts";
import { shrinkageDocument } from "./schemas/threats.ts";
import { RETRY_AFTER } from "../service/store/store-outage.ts";

/** Errors of the framework by their codes. */
const FRAMEWORK: Readonly<Record<string, readonly [ProblemKind, string]>> = {
  FST_ERR_BAD_URL: ["validation-error", "the path is not percent-encoded UTF-8"],
  FST_ERR_CTP_BODY_TOO_LARGE: ["content-too-large", "the body is longer than this operation accepts"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["validation-error", "the length of the body differs from Content-Length"],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported-media-type", "this operation does not accept the body's Content-Type"],
};

const OF_SERVICE: Readonly<Record<ServiceErrorCode, ProblemKind>> = {
  invalid: "validation-error",
  "not-text": "unsupported-media-type",
  "too-long": "content-too-large",
  "not-found": "not-found",
  conflict: "conflict",
  collateral: "collateral",
  "dataset-shrinks": "dataset-shrinks",
  "no-plan": "permission-denied",
  "too-many-requests": "rate-limit-exceeded",
  unavailable: "service-unavailable",
};

const OF_STORE: Readonly<Partial<Record<StoreErrorCode, ProblemKind>>> = {
  "ruleset-not-found": "not-found",
  "rule-not-found": "not-found",
  "user-not-found": "not-found",
  "deployment-not-found": "not-found",
  "credential-not-found": "not-found",
  "collection-not-found": "not-found",
  "list-not-found": "not-found",
  "webhook-not-found": "not-found",
  "user-exists": "conflict",
  "organisation-exists": "conflict",
  "users-exist": "conflict",
  "last-admin": "conflict",
  "invitation-not-found": "authentication-required",
  conflict: "conflict",
  "version-mismatch": "precondition-failed",
  "rule-exists": "precondition-failed",
  "invalid-text": "validation-error",
  "shrinks-too-much": "shrinks-too-much",
  "password-changed": "conflict",
  "rules-changed": "conflict",
  "change-not-kept": "conflict",
  "definition-changed": "conflict",
  "too-many-rules": "conflict",
  "too-many-rulesets": "conflict",
  "too-many-keys": "conflict",
  "too-many-users": "conflict",
  "too-many-deployments": "conflict",
  "too-many-credentials": "conflict",
  "not-a-blocklist": "conflict",
  "too-many-lists": "conflict",
  "too-many-webhooks": "conflict",
  "too-many-rotations": "conflict",
  "list-not-refused": "conflict",
  "list-moved": "conflict",
  "ruleset-exists": "conflict",
  "batch-refused": "conflict",
  "idempotency-mismatch": "idempotency-key-reused",
  unavailable: "service-unavailable",
  "outcome-unknown": "service-unavailable",
  corrupt: "service-unavailable",
  closed: "service-unavailable",
};

/** The true reason names hosts, paths and users: it is in the log, for operators. */
const NOT_AVAILABLE = `the service's database is not available at the moment; try again in ${RETRY_AFTER} s`;
const UNAVAILABLE: Readonly<Partial<Record<StoreErrorCode, string>>> = {
  "outcome-unknown": `the service's database did not confirm the change, which may have been made; try again in ${RETRY_AFTER} s with the same Idempotency-Key`,
  closed: `the server is closing; try again in ${RETRY_AFTER} s`,
};

/** The problem for an error: one table for each kind of error. */
export function problemOf(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ServiceError) return problemOfService(error);
  if (error instanceof StoreError) return problemOfStore(error);
  const { code } = error as FastifyError;
  const known = code !== undefined && Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code] : undefined;
  if (known !== undefined) return new Problem(...known);
  return new Problem("internal-server-error", "an unexpected error occurred; quote the request_id when you report it");
}

function problemOfService({ code, message, fields, retryAfter, counts, collateral }: ServiceError): Problem {
  return new Problem(OF_SERVICE[code], message, {
    ...(collateral === undefined ? {} : { extensions: collateralMembers(collateral) }),
    ...(counts === undefined ? {} : { extensions: { ...shrinkageDocument(counts) } }),
    ...(fields === undefined ? {} : { validationErrors: fields }),
    ...(retryAfter === undefined ? {} : { headers: { "retry-after": String(retryAfter) } }),
  });
}

function collateralMembers({ hits, carved }: RefusedCollateral): Record<string, unknown> {
  return { collateral: hits, ...(carved === undefined ? {} : { carved }) };
}

function problemOfStore(error: StoreError): Problem {
  const kind = OF_STORE[error.code];
  if (kind === undefined)
    return new Problem("internal-server-error", "the store failed; quote the request_id when you report it");
  if (kind === "service-unavailable")
    return new Problem(kind, UNAVAILABLE[error.code] ?? NOT_AVAILABLE, {
      headers: { "retry-after": String(RETRY_AFTER) },
    });
  if (error.shrink !== undefined) return shrinkProblem(error.shrink);
  const existing = error.existing === undefined ? {} : { existing: ruleDocument(error.existing) };
  return new Problem(kind, error.message, { extensions: existing });
}
