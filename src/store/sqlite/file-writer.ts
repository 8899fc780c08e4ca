import { errorOf, type Rejection, rejectionOf } from "../_answer.ts";
import type { Command } from "../command.ts";
import { StoreError } from "../store-error.ts";
import type { StoreLimits } from "../store-options.ts";
import { SqliteBackend } from "./_backend.ts";
import type { WritingMethod } from "./messages.ts";
import { withOwnBuffers } from "./_transfers.ts";

/** The process that writes a SQLite file, seen from one that only reads the file. */
export interface RemoteWriter {
  /** For `resultOf`: a program of several bundles has several classes StoreError, and the store expects its own. */
  call(method: WritingMethod, argument: unknown): Promise<WriterReply>;
  /** Calls `hint` when there are changes of another process. */
  onChange(hint: () => void): void;
}

/** The result of a call, as it crosses between processes. */
export type WriterReply =
  | { readonly result: unknown }
  | { readonly rejection: Rejection }
  /** Another error: SQLite's, or a bug. */
  | { readonly error: Error };

/** The result, on the other side. @throws StoreError */
export function resultOf(reply: WriterReply): unknown {
  if ("rejection" in reply) throw errorOf(reply.rejection);
  if ("error" in reply) throw reply.error;
  return reply.result;
}

/** The one writer of a SQLite file that several processes read. */
export class FileWriter {
  readonly #backend: SqliteBackend;

  private constructor(backend: SqliteBackend) {
    this.#backend = backend;
  }

  /** Opens the file, and creates it or brings it up to date. Throws StoreError. */
  static async open(path: string, limits: StoreLimits): Promise<FileWriter> {
    const backend = new SqliteBackend({ path, create: true, limits, synchronous: "full" });
    await backend.opened;
    return new FileWriter(backend);
  }

  /** Never rejects. */
  async reply(method: WritingMethod, argument: unknown): Promise<WriterReply> {
    try {
      const given = method === "execute" ? withOwnBuffers(argument as readonly Command[]) : argument;
      return { result: await this.#backend.call(method, given as never) };
    } catch (error) {
      if (error instanceof StoreError) return { rejection: rejectionOf(error) };
      return { error: error as Error };
    }
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}
