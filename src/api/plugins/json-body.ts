import { isUtf8 } from "node:buffer";
import { jsonErrorAt, repeatedKey } from "../../json/json-positions.ts";
import { JsonListError, JsonListReader, standsTwice, unexpected } from "../../json/json-list.ts";
import type { FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import type { App } from "../app-type.ts";
import type { ArrivingBody } from "../http/arriving-body.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { invalid } from "../../service/service-error.ts";
import { BodyList, mayBeMissing } from "./validation.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The list in its bodies. */
    readonly list?: BodyList;
  }
}

/** No body that the service accepts is deeper than 4. */
const MAX_DEPTH = 16;
/** A longer document is parsed in slices while it arrives; a shorter one in one step of less than a millisecond. */
const PARSED_AT_ONCE = 64 << 10;

/**
 * Reads JSON bodies strictly: UTF-8, one value, no repeated property in an object (the engine would silently drop one),
 * no deep nesting. Names such as `__proto__` are ordinary unknown properties.
 */
export function readJsonBodies(app: App): void {
  app.addHook("onRoute", (route) => {
    const list = BodyList.of(route.schema?.body);
    if (list !== undefined) route.config = { ...route.config, list };
    else if (route.schema?.body !== undefined && (route.config?.bodyBytes ?? 0) > PARSED_AT_ONCE)
      throw new Error(`${route.url} takes long bodies, so they have to be a list: anything else is parsed in one step`);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (request, _payload, done) => {
    let body: ArrivingBody;
    try {
      body = app.openBody(request);
    } catch (error) {
      return done(error as Error);
    }
    const { raw } = request;
    const { list } = request.route.config;
    const length = Number(raw.headers["content-length"]);
    const take = (bytes: Buffer): void => {
      // Some clients name the type of a body that they do not send.
      if (bytes.length === 0 && takesNone(request)) return done(null, undefined);
      let value: unknown;
      try {
        app.checkBusy();
        value = parseJson(bytes);
      } catch (error) {
        return done(error as Error);
      }
      done(null, value);
    };
    // Most arrive together with their headers and are available in the next tick: taking them then costs a fraction of
    // listening for their parts.
    process.nextTick(() => {
      if (length > 0 && length <= PARSED_AT_ONCE && raw.readableLength === length) take(raw.read() as Buffer);
      else if (list === undefined || body.rules.limit <= PARSED_AT_ONCE) body.whole().then(take, done);
      else readList(list, body).then((value) => done(null, value), done);
    });
  });
}

/** Whether the operation has a body that may be missing. */
function takesNone({ routeOptions: { schema } }: FastifyRequest): boolean {
  return schema?.body !== undefined && mayBeMissing(schema.body as TSchema);
}

/** A document that is one list: an object with the list as a property, or the list itself. */
async function readList(list: BodyList, body: ArrivingBody): Promise<unknown> {
  const reader = listReader(list);
  const items: unknown[] = [];
  for await (const batch of itemsOf(body, reader)) for (const item of batch) items.push(item);
  const document = withListErrors(() => reader.end());
  if (Array.isArray(document)) return items.length === 0 ? document : items;
  if (items.length > 0) (document as Record<string, unknown>)[list.member] = items;
  return document;
}

export function listReader({ member, isBareAllowed, maxItems, setting }: BodyList): JsonListReader {
  return new JsonListReader({ member, isBareAllowed, maxItems, setting, maxDepth: MAX_DEPTH });
}

/** The items of a list, batch by batch, while they arrive. @throws Problem (400) */
export async function* itemsOf(
  body: AsyncIterable<Buffer>,
  reader: JsonListReader,
): AsyncGenerator<unknown[], void, undefined> {
  for await (const part of body) {
    for (let at = 0; at < part.length; at += PARSED_AT_ONCE)
      yield* await inSlices(batchesOf(reader, part.subarray(at, at + PARSED_AT_ONCE)));
  }
}

function* batchesOf(reader: JsonListReader, part: Uint8Array): Generator<undefined, unknown[][], undefined> {
  const batches: unknown[][] = [];
  const steps = reader.write(part);
  for (;;) {
    const { done, value } = withListErrors(() => steps.next());
    if (done === true) return batches;
    batches.push(value);
    yield;
  }
}

/** @throws Problem (400) instead of JsonListError */
export function withListErrors<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonListError) throw invalid({ [error.subject ?? "body"]: [error.message] });
    throw error;
  }
}

/** @throws Problem (400) that names the position, counted in characters from 0 */
function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid({ body: ["is not valid UTF-8"] });
  const text = body.toString();
  if (text.trim() === "") throw invalid({ body: ["is empty; a JSON document is required"] });
  if (depthOf(text) > MAX_DEPTH) throw invalid({ body: [`is nested deeper than ${MAX_DEPTH} levels`] });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = jsonErrorAt(text);
    throw invalid({ body: [unexpected(text[at], at)] });
  }
  const repeated = repeatedKey(text, value);
  if (repeated >= 0) throw invalid({ body: [standsTwice(repeated)] });
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How deep brackets and braces are nested, outside strings. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isString = !isString;
    else if (isString) at += character === BACKSLASH ? 1 : 0;
    // [ and { differ from ] and } in one bit each: 5b, 7b and 5d, 7d.
    else if ((character | 0x20) === 0x7b) most = Math.max(most, ++depth);
    else if ((character | 0x20) === 0x7d) depth--;
  }
  return most;
}
