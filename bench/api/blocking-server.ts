/**
 * The negative control of the neighbours, loaded before the service: every extended lookup blocks the event loop for
 * 300 ms, like code that does too much in one turn.
 */
import { Server } from "node:http";

const MILLISECONDS = 300;
const { emit } = Server.prototype;

Server.prototype.emit = function (this: Server, name: string | symbol, ...rest: unknown[]): boolean {
  const [request] = rest as [{ url?: string } | undefined];
  if (name === "request" && request?.url?.includes("/extended_lookup/") === true)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MILLISECONDS);
  return Reflect.apply(emit, this, [name, ...rest]);
} as typeof emit;
