import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
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
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request: FastifyRequest, body: Buffer, done) => {
    try {
      app.checkBusy();
      done(null, parseJson(body));
    } catch (error) {
      done(error as Error);
    }
  });
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
