import type { Hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { App } from "../app-type.ts";
import type { ArrivingBody } from "../http/arriving-body.ts";
import { requireCaller } from "./authentication.ts";
import { bodySchema, withBodies } from "./bodies.ts";
import { itemsOf, listReader, withListErrors } from "./json-body.ts";
import type { BodyList } from "./validation.ts";
import { invalid } from "../../service/service-error.ts";
import type { ImportFormat } from "../../rulesets/importers/import-rules.ts";
import type { RuleMembers } from "../../service/rules/read-rule.ts";
import { LIST_TYPES, type ListBody, type ListedMember, RejectedMember } from "../../service/rules/desired-rules.ts";

/** Adds routes whose bodies are lists of any length, which are read while they arrive: `listIn` returns them. */
export function withListBodies(app: App, addRoutes: (app: App) => void): void {
  withBodies(app, { types: ["application/json", ...Object.keys(LIST_TYPES)], isStream: false }, addRoutes);
}

/** The schema of a body that is JSON or a list of one of the other types. */
export function listBody(json: object): object {
  return bodySchema(json, Object.keys(LIST_TYPES), Type.String());
}

export interface ListReading {
  /** Leave out rules of a JSON document that the schema rejects: see `RejectedMember`. */
  readonly skipInvalid?: boolean;
  /** Called with all bytes of the body, part by part. */
  readonly hash?: Hash;
}

async function* hashed(body: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const part of body) {
    hash.update(part);
    yield part;
  }
}

/**
 * The list in a body, while it arrives. The rules of a JSON document are checked against their schema, one by one if
 * rejected ones are to be left out. Reading it throws Problem (400, 401, 403, 408, 413, 503).
 * @throws Problem (400) without one
 */
export function listIn(request: FastifyRequest, { skipInvalid = false, hash }: ListReading = {}): ListBody {
  const arriving = request.body as ArrivingBody | undefined;
  if (arriving === undefined)
    throw invalid({
      body: ["is missing; send a JSON document, or a list as text/plain, text/csv or application/x-ndjson"],
    });
  const body = hash === undefined ? arriving : hashed(arriving, hash);
  const type = request.headers["content-type"]!.split(";")[0]!.trim().toLowerCase();
  const format = LIST_TYPES[type];
  return format === undefined
    ? { members: membersOf(request, body, { list: request.route.config.list!, skipInvalid }) }
    : { text: textOf(request, body, format), format };
}

/** Maximum errors of a list that are reported. */
const MAX_ERRORS = 200;

interface MemberReading {
  readonly list: BodyList;
  readonly skipInvalid: boolean;
}

async function* membersOf(
  request: FastifyRequest,
  body: AsyncIterable<Buffer>,
  reading: MemberReading,
): AsyncGenerator<readonly ListedMember[], void, undefined> {
  yield* documentMembers(body, reading);
  requireCaller(request);
}

/**
 * The rules of a JSON document while it arrives; see `listIn`. @throws ServiceError "invalid" for a malformed document,
 * and for rules that the schema rejects, unless they are left out
 */
export async function* documentMembers(
  body: AsyncIterable<Buffer>,
  { list, skipInvalid }: MemberReading,
): AsyncGenerator<readonly ListedMember[], void, undefined> {
  const reader = listReader(list);
  const errors: Record<string, string[]> = Object.create(null);
  let count = 0;
  let isGood = true;
  for await (const batch of itemsOf(body, reader)) {
    const own = list.errorsOf(batch, count);
    if (own !== undefined && skipInvalid) {
      yield itemByItem(batch, count, list);
    } else if (own !== undefined) {
      isGood = false;
      Object.assign(errors, own);
      if (Object.keys(errors).length >= MAX_ERRORS) throw invalid(errors);
    } else if (isGood) {
      yield batch as RuleMembers[];
    }
    count += batch.length;
  }
  const read = list.readWithoutItems(withListErrors(() => reader.end()));
  if ("error" in read) throw read.error;
  if (!isGood) throw invalid(errors);
}

/** A batch in which the schema rejects some items. */
function itemByItem(batch: readonly unknown[], start: number, list: BodyList): ListedMember[] {
  return batch.map((item, at) => {
    const errors = list.errorsOf([item], start + at);
    return errors === undefined ? (item as RuleMembers) : new RejectedMember(item, errors);
  });
}

async function* textOf(
  request: FastifyRequest,
  body: AsyncIterable<Buffer>,
  format: ImportFormat,
): AsyncGenerator<string, void, undefined> {
  // A text may have other bytes in its comments; elsewhere they make its lines unreadable.
  const decoder = new TextDecoder("utf-8", { fatal: format !== "text", ignoreBOM: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw invalid({ body: ["is not valid UTF-8"] });
    }
  };
  for await (const part of body) yield decode(part);
  yield decode();
  requireCaller(request);
}
