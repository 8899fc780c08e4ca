import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { errorCodes, type FastifyInstance } from "fastify";
import { jsonFault, repeatedKey } from "../../json/json-fault.ts";
import { invalid } from "../problem.ts";

/** No body that the service takes is deeper than 4. */
const MOST_DEPTH = 16;

/**
 * Reads JSON bodies strictly: UTF-8, one value, no member twice in an object (the engine would drop one in silence), no deep nesting. Names such
 * as `__proto__` are ordinary ones, which no schema knows.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", ({ raw, route }, _payload, done) => {
    const take = (body: Buffer): void => {
      let value: unknown;
      try {
        app.checkBusy();
        value = parseJson(body);
      } catch (error) {
        // Refused when its end has come, so that the connection can stay.
        return void (raw.complete ? done(error as Error) : raw.once("end", () => done(error as Error)).resume());
      }
      done(null, value);
    };
    readBody(raw, route.bodyLimit!, take, done);
  });
}

/**
 * Reads a whole body. Most come together with their heads, and are there in the next tick: taking them then costs a fraction of listening for their
 * parts, as the framework does.
 */
function readBody(message: IncomingMessage, limit: number, take: (body: Buffer) => void, fail: (error: Error) => void): void {
  const length = Number(message.headers["content-length"]);
  if (length > limit) return fail(tooLarge());
  process.nextTick(() => {
    if (length === 0 || message.readableLength !== length) return collectBody(message, limit, take, fail);
    take(message.read() as Buffer);
  });
}

function collectBody(message: IncomingMessage, limit: number, take: (body: Buffer) => void, fail: (error: Error) => void): void {
  const parts: Buffer[] = [];
  let length = 0;
  const leave = (): unknown => message.off("data", add).off("end", end).off("error", lose);
  const add = (part: Buffer): void => {
    length += part.length;
    parts.push(part);
    if (length > limit) lose(tooLarge());
  };
  const end = (): void => {
    leave();
    take(Buffer.concat(parts, length));
  };
  const lose = (error: Error): void => {
    leave();
    fail(error);
  };
  message.on("data", add).on("end", end).on("error", lose);
}

function tooLarge(): Error {
  return new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
}

/** @throws Problem (400) that names the position, counted in characters from 0 */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid({ body: ["it is not UTF-8"] });
  const text = body.toString();
  if (text.trim() === "") throw invalid({ body: ["it is empty; a JSON document is required"] });
  if (depthOf(text) > MOST_DEPTH) throw invalid({ body: [`it is nested deeper than ${MOST_DEPTH} levels`] });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid({ body: [`it is not JSON: unexpected ${whatStands(text, jsonFault(text))}`] });
  }
  const repeated = repeatedKey(text, value);
  if (repeated >= 0) throw invalid({ body: [`the member at position ${repeated} stands twice in its object; send it once`] });
  return value;
}

function whatStands(text: string, at: number): string {
  return at >= text.length ? `end at position ${text.length}` : `${JSON.stringify(text[at])} at position ${at}`;
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
