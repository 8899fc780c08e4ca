import type { Settings } from "../service/settings.ts";

/** The server cannot listen; its message says where, why, and the cure. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** What the system says of listening, in words that help; an error about something else stays what it is. */
export function listenError(error: unknown, { host, port }: Pick<Settings, "host" | "port">): unknown {
  const message = REASONS[(error as NodeJS.ErrnoException).code ?? ""]?.(host, port);
  return message === undefined ? error : new ListenError(message, { cause: error });
}

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `${host}, port ${port}: a program listens there already; stop it, or give another port with --port`,
  EADDRNOTAVAIL: (host) =>
    `${host}: this machine has no such address; give one that it has, or 0.0.0.0 or :: for all, with --host`,
  ENOTFOUND: (host) =>
    `${host}: there is no such host; give an address of this machine, or 0.0.0.0 or :: for all, with --host`,
  EACCES: (host, port) =>
    `${host}, port ${port}: the system does not let this user listen there; give a port from 1024 on with --port`,
};
