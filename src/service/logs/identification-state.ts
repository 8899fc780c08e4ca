import type { Identification, Identifications } from "./identifications.ts";
import type { LogIdentification } from "./log-identification.ts";

/** An identification as it is at the moment: plain values, which another process may have sent. */
export interface IdentificationState
  extends Omit<Identification, "log">, Pick<LogIdentification, "state" | "error" | "resultBytes" | "comparison"> {
  /** The first millisecond at which it is no longer kept; null while it runs. */
  readonly expiresAt: number | null;
  readonly summary: ReturnType<LogIdentification["summary"]>;
}

export function stateOf(identification: Identification, identifications: Identifications): IdentificationState {
  const { organisationId, id, name, format, size, startedAt, endedAt, path, countsPath, log } = identification;
  const about = { organisationId, id, name, format, size, startedAt, endedAt, path, countsPath };
  const { error, resultBytes, comparison } = log;
  return {
    ...about,
    error,
    resultBytes,
    comparison,
    state: endedAt === null ? "running" : log.state,
    expiresAt: identifications.expiryOf(identification),
    summary: log.summary(),
  };
}
