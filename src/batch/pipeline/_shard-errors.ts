import { SnapshotError } from "../../snapshot/snapshot-error.ts";
import { TableError } from "../../table/table-error.ts";
import { BatchError } from "../batch-error.ts";
import type { ShardFailure, ShardWork } from "../engine/messages.ts";

/** Why a line has no row, as the error of the run. */
export function lineError(failure: ShardFailure, file: string, line: number, work: ShardWork): BatchError {
  // One address too many cannot be attributed to a line.
  const location = failure === "too-many-addresses" ? { file } : { file, line };
  return new BatchError(failure, MESSAGES[failure](work), location);
}

const MESSAGES: Readonly<Record<ShardFailure, (work: ShardWork) => string>> = {
  "input-changed": () => "the file shrank while it was being read; run again, on a copy if it is still in use",
  "line-too-long": ({ lineBytes }) => `this line is longer than ${lineBytes} bytes; is this a text file?`,
  "quote-unclosed": () =>
    "a quoted field begins in this record and never ends; correct the quote, or read the lines as text (--input space)",
  "member-exists": ({ appendAs }) =>
    `this object already has a member ${JSON.stringify(appendAs)}; rename it, or choose another name for the new one with --append-as`,
  "fields-differ": () =>
    "this #Fields names other columns than the one before, so that the field would be another; cut the file in two here",
  "too-many-addresses": ({ countedAddresses }) =>
    `more than ${countedAddresses} different addresses, each of which is counted in memory; count the input in parts (--top)`,
};

/** The error for a shard that could not be processed at all. */
export function shardError(cause: unknown, file: string, hasWorkers: boolean): unknown {
  if (cause instanceof BatchError || cause instanceof SnapshotError || cause instanceof TableError) return cause;
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (syscall === "read") return new BatchError("input-unreadable", `cannot be read (${code})`, { file, cause });
  return hasWorkers ? new BatchError("worker-failed", `a worker failed: ${String(cause)}`, { cause }) : cause;
}

export function tooManyTimes(file: string): BatchError {
  return new BatchError(
    "too-many-times",
    "more than 1200000 different times, each of which is counted in memory; count by the hour or day (--by)",
    { file },
  );
}

export function kernelMissing(): BatchError {
  return new BatchError(
    "engine-missing",
    'the engine is "webassembly", but this platform has no WebAssembly with SIMD and shared memory, or no address space for it; use "auto"',
  );
}
