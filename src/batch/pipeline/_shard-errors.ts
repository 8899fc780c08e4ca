import { BatchError } from "../batch-error.ts";
import type { ShardFailure, ShardWork } from "./messages.ts";

/** Why a line has no row, as the error of the run. */
export function lineError(failure: ShardFailure, file: string, line: number, work: ShardWork): BatchError {
  // The address that is one too many stands on no line that could be named.
  const place = failure === "too-many-addresses" ? { file } : { file, line };
  return new BatchError(failure, MESSAGES[failure](work), place);
}

const MESSAGES: Readonly<Record<ShardFailure, (work: ShardWork) => string>> = {
  "input-changed": () => "the file became shorter while it was read; run again, on a copy if it is still in use",
  "line-too-long": ({ lineBytes }) => `this line is longer than ${lineBytes} bytes; is the file a text of lines?`,
  "quote-unclosed": () =>
    "a quoted field begins in this record and never ends; correct the quote, or read the lines as text (--input space)",
  "member-exists": ({ appendAs }) =>
    `this object has a member ${JSON.stringify(appendAs)} already; choose another name for the new one with --append-as`,
  "too-many-addresses": ({ countedAddresses }) =>
    `more than ${countedAddresses} different addresses so far, and each is counted in memory; count the input in parts (--top)`,
};

/** What is reported of a shard that could not be run at all. */
export function shardError(cause: unknown, file: string, hasWorkers: boolean): unknown {
  if (cause instanceof BatchError) return cause;
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (syscall === "read") return new BatchError("input-unreadable", `it cannot be read (${code})`, { file, cause });
  return hasWorkers ? new BatchError("worker-failed", `a worker failed: ${String(cause)}`, { cause }) : cause;
}

export function kernelMissing(): BatchError {
  return new BatchError(
    "engine-missing",
    'the engine "webassembly" is asked for, but WebAssembly with SIMD and shared memory, or address space for it, is not there; use "auto"',
  );
}
