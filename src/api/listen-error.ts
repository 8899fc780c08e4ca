import type { Settings } from "../service/settings.ts";

/** The server cannot listen; the message says where, why, and how to fix it. */
class ListenError extends Error {
  override readonly name = "ListenError";
}

/** A system error about listening, in helpful words; any other error is returned unchanged. */
export function listenError(error: unknown, { host, port }: Pick<Settings, "host" | "port">): unknown {
  const message = REASONS[(error as NodeJS.ErrnoException).code ?? ""]?.(host, port);
  return message === undefined ? error : new ListenError(message, { cause: error });
}

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `${host}, port ${port}: the port is in use; stop the program that uses it, or choose another port with --port`,
  EADDRNOTAVAIL: (host) =>
    `${host}: this machine does not have this address; give one that it has, or 0.0.0.0 or :: for all, with --host`,
  ENOTFOUND: (host) => `${host}: unknown host; give an address of this machine, or 0.0.0.0 or :: for all, with --host`,
  EACCES: (host, port) =>
    `${host}, port ${port}: this user is not permitted to listen there; choose a port from 1024 with --port`,
};
