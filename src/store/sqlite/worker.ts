import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type GroupAnswer, rejectionOf } from "../_answer.ts";
import { readChanges } from "../sql/history/_changes.ts";
import { executeGroup } from "../sql/commands/_group-commit.ts";
import { readState } from "../sql/_read-state.ts";
import type { Change } from "../change.ts";
import { record } from "../counters.ts";
import { find } from "../reads.ts";
import { checkSchema, migrate } from "../migrations/migrate.ts";
import type { RulesetRules } from "../state.ts";
import type { LoadedState } from "../saved-rules.ts";
import { StoreError } from "../store-error.ts";
import { asStoreError } from "./_errors.ts";
import { checkFile } from "./_check.ts";
import { BUSY_TIMEOUT, openDatabase, openReader, type SqliteEngine } from "./_database.ts";
import { FileIdentity } from "./_file-identity.ts";
import { areLongChanges, isLongAnswer, pack, unpack } from "./_packing.ts";
import type { PackedArgument, WorkerCall, WorkerMessage, WorkerMethods, WorkerSetup } from "./messages.ts";
import { publish } from "./_publish.ts";
import { buffersIn, columnsOfChanges } from "./_transfers.ts";

// The only thread with the file open, and the only one that waits for the disk. Calls run one after the other.

const port = parentPort!;
const { path, create, limits, synchronous, isReader = false, identity: openedBefore } = workerData as WorkerSetup;
/** Milliseconds for which a probe waits for another process that is writing; later calls wait as long. */
const PROBE_TIMEOUT = 100;
let engine: SqliteEngine;
let identity: FileIdentity;

async function run({
  id,
  method,
  argument,
}: WorkerCall | { id: 0; method: "open"; argument: undefined }): Promise<void> {
  try {
    const given = isPacked(argument) ? unpack(argument.packed) : argument;
    const result: unknown = await METHODS[method](given as never, id);
    const message = hasLongLists(method, result) ? { id, packed: pack(result) } : { id, result };
    port.postMessage(message satisfies WorkerMessage, buffersIn(columnsOfChanges(changesIn(method, result))));
  } catch (error) {
    const known = asStoreError(error, path);
    if (known instanceof StoreError) send({ id, rejection: rejectionOf(known) });
    else send({ id, error: known as Error });
  }
}

const METHODS: WorkerMethods & { open(): Promise<string | null> } = {
  async open() {
    if (openedBefore !== undefined) new FileIdentity(path, openedBefore).check();
    engine = isReader ? openReader(path) : openDatabase(path, create, synchronous);
    identity = new FileIdentity(path, openedBefore);
    identity.check();
    if (create) await migrate(engine);
    else await checkSchema(engine);
    return identity.opened;
  },

  async execute(commands) {
    identity.check();
    return engine.db.transaction().execute((within) => executeGroup(engine, within, commands, limits, randomUUID()));
  },

  load: ({ withRules, saved }, id) => readState(engine, withRules ? (part) => sendPart(id, part) : null, saved),

  /** Called every second, so that a missing file is noticed soon. */
  async changesAfter(sequence) {
    identity.check();
    return readChanges(engine, sequence);
  },

  find: ({ name, request }) => find(engine, name, request as never),

  async record({ name, increments }) {
    identity.check();
    return record(engine, name, increments as never);
  },

  /** The number is unused and does not change, but writing it writes a page. */
  async probe() {
    identity.check();
    engine.file.exec(`pragma busy_timeout = ${PROBE_TIMEOUT}`);
    try {
      engine.file.exec("pragma user_version = 0");
    } finally {
      engine.file.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
    }
  },

  check: () => checkFile(engine, path),

  /** The copy gets its name only when it is complete and on the disk. */
  async backup(target) {
    if (existsSync(target)) throw new StoreError("exists", `${target}: the file already exists; choose another path`);
    await publish(target, async (part) => {
      try {
        engine.file.prepare("vacuum into ?").run(part);
      } catch (error) {
        throw asStoreError(error, target);
      }
    });
  },

  async close() {
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

function isPacked(argument: unknown): argument is PackedArgument {
  return typeof argument === "object" && argument !== null && "packed" in argument;
}

function hasLongLists(method: string, result: unknown): boolean {
  return method === "execute" ? isLongAnswer(result as GroupAnswer) : areLongChanges(changesIn(method, result));
}

function changesIn(method: string, result: unknown): readonly Change[] {
  if (method === "execute") return (result as GroupAnswer).changes;
  if (method === "load")
    return (result as LoadedState).caughtUp.flatMap((each) => ("changes" in each ? each.changes : []));
  return method === "changesAfter" ? (result as readonly Change[]) : [];
}
