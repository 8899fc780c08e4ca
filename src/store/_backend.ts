import type { GroupAnswer } from "./_answer.ts";
import type { AuditRows } from "./sql/_audit-log.ts";
import type { AuditQuery } from "./audit.ts";
import type { Command } from "./command.ts";
import type { Store } from "./store.ts";

/** A database, with what differs hidden: SQLite in a thread of its own, PostgreSQL at the other end of a connection. */
export interface Backend extends Pick<
  Store,
  | "load"
  | "changesAfter"
  | "credentials"
  | "invited"
  | "recordUsage"
  | "recordTraffic"
  | "traffic"
  | "probe"
  | "usage"
  | "usageOf"
  | "auditEntry"
  | "isAsLeft"
  | "check"
  | "backup"
  | "close"
> {
  /** Carries the commands out in one transaction. Rejects with StoreError for all of them. */
  execute(commands: readonly Command[]): Promise<GroupAnswer>;
  audit(organisationId: string, query: AuditQuery): Promise<AuditRows>;
  /** Calls `hint` when there may be changes by others, sooner than by asking for them every second. It may fail to. */
  onHint(hint: () => void): void;
}
