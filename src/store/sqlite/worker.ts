import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type GroupAnswer, refusalOf } from "../_answer.ts";
import { readAudit, readAuditEntry, readIsAsLeft } from "../sql/_audit-log.ts";
import type { AuditQuery } from "../audit.ts";
import { readChanges } from "../sql/_changes.ts";
import { readCredentials, readInvited } from "../sql/_credentials.ts";
import { executeGroup } from "../sql/_group-commit.ts";
import { readState } from "../sql/_read-state.ts";
import { readTraffic, recordTraffic } from "../sql/_traffic.ts";
import { readUsage, readUsageOf, recordUsage } from "../sql/_usage.ts";
import type { Change } from "../change.ts";
import type { Command } from "../command.ts";
import { checkSchema, migrate } from "../migrations/migrate.ts";
import type { RulesetRules, Usage } from "../state.ts";
import { StoreError } from "../store-error.ts";
import type { Traffic } from "../traffic.ts";
import { asStoreError } from "./_errors.ts";
import { checkFile } from "./_check.ts";
import { BUSY_TIMEOUT, openDatabase, type SqliteEngine } from "./_database.ts";
import { FileIdentity } from "./_file-identity.ts";
import type { WorkerCall, WorkerMessage, WorkerSetup } from "./messages.ts";
import { publish } from "./_publish.ts";
import { buffersIn, columnsOfChanges } from "./_transfers.ts";

// The one thread that has the file: it alone waits for the disk. Calls are run one after the other.

const port = parentPort!;
const { path, create, limits, synchronous, identity: openedBefore } = workerData as WorkerSetup;
/** How long a probe waits for another process that writes, in milliseconds: calls after it wait, too. */
const PROBE_TIMEOUT = 100;
let engine: SqliteEngine;
let identity: FileIdentity;

async function run({
  id,
  method,
  argument,
}: WorkerCall | { id: 0; method: "open"; argument: undefined }): Promise<void> {
  try {
    const isPacked = typeof argument === "string" && method === "execute";
    const result: unknown = await METHODS[method]((isPacked ? JSON.parse(argument) : argument) as never, id);
    if (isPacked) send({ id, text: JSON.stringify(result) });
    else
      port.postMessage({ id, result } satisfies WorkerMessage, buffersIn(columnsOfChanges(changesIn(method, result))));
  } catch (error) {
    const known = asStoreError(error, path);
    if (known instanceof StoreError) send({ id, refusal: refusalOf(known) });
    else send({ id, error: known as Error });
  }
}

const METHODS = {
  async open(): Promise<string | null> {
    if (openedBefore !== undefined) new FileIdentity(path, openedBefore).check();
    engine = openDatabase(path, create, synchronous);
    identity = new FileIdentity(path, openedBefore);
    identity.check();
    if (create) await migrate(engine);
    else await checkSchema(engine);
    return identity.opened;
  },

  async execute(commands: readonly Command[]): Promise<GroupAnswer> {
    identity.check();
    return engine.db.transaction().execute((within) => executeGroup(engine, within, commands, limits, randomUUID()));
  },

  load: (withRules: boolean, id: number) => readState(engine, withRules ? (part) => sendPart(id, part) : null),

  /** Asked every second, so that it is noticed soon when the file is gone. */
  async changesAfter(sequence: number): Promise<Change[]> {
    identity.check();
    return readChanges(engine, sequence);
  },

  credentials: (name: string) => readCredentials(engine, name),
  invited: ([digest, at]: [string, number]) => readInvited(engine, digest, at),

  async recordUsage(increments: readonly Usage[]): Promise<void> {
    identity.check();
    await recordUsage(engine, increments);
  },

  async recordTraffic(minutes: readonly Traffic[]): Promise<void> {
    identity.check();
    await recordTraffic(engine, minutes);
  },

  traffic: ([step, from]: [number, number]) => readTraffic(engine, step, from),

  /** The number is nobody's and stays what it is, and a page is written all the same. */
  async probe(): Promise<void> {
    identity.check();
    engine.file.exec(`pragma busy_timeout = ${PROBE_TIMEOUT}`);
    try {
      engine.file.exec("pragma user_version = 0");
    } finally {
      engine.file.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
    }
  },

  usage: (month: string) => readUsage(engine, month),
  usageOf: ([organisationId, month]: [string, string]) => readUsageOf(engine, organisationId, month),
  audit: ([organisationId, query]: [string, AuditQuery]) => readAudit(engine, organisationId, query),
  auditEntry: ([organisationId, sequence]: [string, number]) => readAuditEntry(engine, organisationId, sequence),
  isAsLeft: ([organisationId, sequence]: [string, number]) => readIsAsLeft(engine, organisationId, sequence),

  check: () => checkFile(engine, path),

  /** The copy has its name only when it is whole and on the disk. */
  async backup(target: string): Promise<void> {
    if (existsSync(target)) throw new StoreError("exists", `${target}: there is a file already; give another path`);
    await publish(target, async (part) => {
      try {
        engine.file.prepare("vacuum into ?").run(part);
      } catch (error) {
        throw asStoreError(error, target);
      }
    });
  },

  async close(): Promise<void> {
    engine?.file.close();
  },
};

let last: Promise<void> = run({ id: 0, method: "open", argument: undefined });
port.on("message", (call: WorkerCall) => {
  last = last.then(() => run(call));
});

function send(message: WorkerMessage): void {
  port.postMessage(message);
}

function sendPart(id: number, part: RulesetRules): void {
  port.postMessage({ id, part } satisfies WorkerMessage, buffersIn([part.rules]));
}

function changesIn(method: string, result: unknown): readonly Change[] {
  if (method === "execute") return (result as GroupAnswer).changes;
  return method === "changesAfter" ? (result as readonly Change[]) : [];
}
