import type { GroupAnswer } from "./_answer.ts";
import type { Command } from "./command.ts";
import type { ReadFound, ReadName, ReadRequest } from "./reads.ts";
import type { Store } from "./store.ts";

/** A database, with what differs hidden: SQLite in a thread of its own, PostgreSQL at the other end of a connection. */
export interface Backend extends Pick<
  Store,
  "load" | "changesAfter" | "record" | "probe" | "check" | "backup" | "close"
> {
  /** Executes the commands in one transaction. Rejects with StoreError for all of them. */
  execute(commands: readonly Command[]): Promise<GroupAnswer>;
  /** Asks the database one of the questions of `READS`. */
  find<Name extends ReadName>(name: Name, request: ReadRequest<Name>): Promise<ReadFound<Name>>;
  /** Calls `hint` when there may be changes by others, sooner than by asking for them every second. It may fail to. */
  onHint(hint: () => void): void;
}
