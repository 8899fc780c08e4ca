import { AddressError, type AddressErrorCode } from "../../address/address-error.ts";
import { SnapshotError, type SnapshotErrorCode } from "../../snapshot/snapshot-error.ts";
import type { SectionName } from "../../table/sections.ts";
import { TableError, type TableErrorCode } from "../../table/table-error.ts";
import { BatchError, type BatchErrorCode } from "../batch-error.ts";

/** An error on its way between threads, where it would otherwise lose its class and its properties. */
export interface ThreadFailure {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Its properties that the classes below have, and `syscall` of system errors. */
  readonly details: Readonly<Record<string, string | number | undefined>>;
}

const DETAILS = ["code", "syscall", "section", "path", "file", "line", "value", "position", "problem"];

/** The transferable form of an error. */
export function failureOf(cause: unknown): ThreadFailure {
  if (!(cause instanceof Error)) return { name: "Error", message: String(cause), stack: undefined, details: {} };
  const { name, message, stack } = cause;
  const properties = cause as unknown as Record<string, string | number | undefined>;
  const details = Object.fromEntries(
    DETAILS.filter((key) => ["string", "number"].includes(typeof properties[key])).map((key) => [key, properties[key]]),
  );
  return { name, message, stack, details };
}

/** The error again, of the same class, with the stack of the thread that threw it. */
export function errorOf(failure: ThreadFailure): Error {
  const error = (MAKERS[failure.name] ?? plainError)(failure.details as never, failure);
  error.message = failure.message;
  if (failure.stack !== undefined) error.stack = failure.stack;
  return error;
}

interface Details {
  readonly code: string;
  readonly section: SectionName;
  readonly path: string;
  readonly value: string;
  readonly position: number;
  readonly problem: string;
  readonly file?: string;
  readonly line?: number;
}

/** By name; the messages are restored afterwards. */
const MAKERS: Readonly<Record<string, (details: Details, failure: ThreadFailure) => Error>> = {
  AddressError: ({ code, value, position, problem }) =>
    new AddressError(code as AddressErrorCode, value, position, problem),
  TableError: ({ code, section }) => new TableError(code as TableErrorCode, section, ""),
  SnapshotError: ({ code, path, section }) =>
    new SnapshotError(code as SnapshotErrorCode, path, "", section === undefined ? {} : { section }),
  BatchError: ({ code, file, line }) =>
    new BatchError(code as BatchErrorCode, "", {
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
    }),
  RangeError: () => new RangeError(""),
  TypeError: () => new TypeError(""),
};

function plainError(_: Details, { name, details }: ThreadFailure): Error {
  const error = Object.assign(new Error(""), details);
  if (name !== "Error") error.name = name;
  return error;
}
