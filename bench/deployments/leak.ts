/**
 * The negative control of the measurement of memory, for `node --import`: of each response, some bytes are kept, as a
 * log without limits would.
 */
import { ServerResponse } from "node:http";

/** Bytes of each response. */
const KEPT = 2048;

const kept: Uint8Array[] = [];
const { end } = ServerResponse.prototype;
ServerResponse.prototype.end = function (this: ServerResponse, ...given: unknown[]): ServerResponse {
  kept.push(new Uint8Array(KEPT).fill(kept.length));
  return Reflect.apply(end, this, given) as ServerResponse;
} as typeof end;
