import type { GroupAnswer } from "./_answer.ts";
import type { Command } from "./command.ts";
import type { ReadFound, ReadName, ReadRequest } from "./reads.ts";
import type { RulesetRules } from "./state.ts";
import type { LoadedState, SavedRules } from "./saved-rules.ts";
import type { Store } from "./store.ts";

/** A database with one interface: SQLite in a thread of its own, or PostgreSQL at the other end of a connection. */
export interface Backend extends Pick<Store, "changesAfter" | "record" | "probe" | "check" | "backup" | "close"> {
  /** See `Store.load`. */
  load(receive: ((part: RulesetRules) => void) | null, saved: readonly SavedRules[]): Promise<LoadedState>;
  /** Executes the commands in one transaction. If it rejects with StoreError, none was executed. */
  execute(commands: readonly Command[]): Promise<GroupAnswer>;
  /** Runs one of `READS` in the database. */
  find<Name extends ReadName>(name: Name, request: ReadRequest<Name>): Promise<ReadFound<Name>>;
  /** Calls `hint` when others may have made changes, sooner than polling every second finds them. Hints may be lost. */
  onHint(hint: () => void): void;
}
