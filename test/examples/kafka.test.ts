/**
 * The Kafka example: every message comes out exactly once, with what the library says, whatever is killed in the
 * meantime.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { formatAddress } from "../../src/address/format-address.ts";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { probes } from "../formats/subjects.ts";
import { onlyLong } from "../rounds.ts";
import { missingCommand } from "../tools.ts";
import { until } from "../until.ts";
import { JAVA, type KafkaBroker, LIBRARIES, startKafka } from "./kafka-broker.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/kafka");
const CLIENT = join(EXAMPLE, "node_modules/@platformatic/kafka");
const MESSAGES = 40_000;
const PARTITIONS = 4;
/** Milliseconds: after a kill, the broker takes ten to twenty seconds to end what the process left open. */
const TIMEOUT = 240_000;

const missing =
  !existsSync(CLIENT) || !existsSync(LIBRARIES)
    ? "Kafka is not installed; install it with: npm run examples:setup"
    : missingCommand("java", "-version", "default-jre-headless");

/** Values without an address, and what they become. */
const OTHERS: readonly (readonly [value: string, becomes: string])[] = [
  ["no JSON", "no JSON"],
  ["[1]", "[1]"],
  ["null", "null"],
  ['{"ip":null}', '{"ip":null,"cidr":null,"cbs_ids":[]}'],
  ['{"ip":7,"a":"é"}', '{"ip":7,"a":"é","cidr":null,"cbs_ids":[]}'],
  ['{"ip":"1.1.1"}', '{"ip":"1.1.1","cidr":null,"cbs_ids":[]}'],
  ["{}", '{"cidr":null,"cbs_ids":[]}'],
];

const folder = temporaryFolder();
let kafka: any;
let broker: KafkaBroker;
let catalogue: Catalogue;
let values: string[];
const children = new Set<ChildProcess>();
let isOver = false;

before(async () => {
  if (missing !== false || onlyLong() !== false) return;
  kafka = createRequire(join(EXAMPLE, "package.json"))("@platformatic/kafka");
  catalogue = await openCatalogue();
  const addresses = Array.from(probes(catalogue, 8), formatAddress);
  values = Array.from({ length: MESSAGES }, (_, row) =>
    row % 20 === 0
      ? OTHERS[(row / 20) % OTHERS.length]![0]
      : JSON.stringify({ row, ip: addresses[(row * 7919) % addresses.length] }),
  );
  // The example as a user has it: with its two packages installed.
  mkdirSync(join(folder.path, "node_modules"));
  symlinkSync(ROOT, join(folder.path, "node_modules/ipsieve"));
  symlinkSync(join(EXAMPLE, "node_modules/@platformatic"), join(folder.path, "node_modules/@platformatic"));
  cpSync(join(EXAMPLE, "identify.js"), join(folder.path, "identify.js"));
  writeFileSync(join(folder.path, "package.json"), '{"type":"module"}');
  broker = await startKafka(folder.path);
});
after(async () => {
  isOver = true;
  for (const child of children) child.kill("SIGKILL");
  await broker?.end();
  folder.remove();
});

const client = () => ({ clientId: "test", bootstrapBrokers: [broker.address] });

async function fill(): Promise<void> {
  const admin = new kafka.Admin(client());
  await admin.createTopics({ topics: ["logs", "identified"], partitions: PARTITIONS, replicas: 1 });
  await admin.close();
  // Without the sequence numbers that the broker checks, a retry would put a message into the topic twice.
  const producer = new kafka.Producer({ ...client(), idempotent: true });
  for (let from = 0; from < MESSAGES; from += 2000)
    await producer.send({
      messages: values.slice(from, from + 2000).map((value, index) => ({
        topic: "logs",
        key: Buffer.from(String(from + index)),
        value: Buffer.from(value),
      })),
    });
  await producer.close();
  const consumer = new kafka.Consumer({ ...client(), groupId: "count" });
  const ends: bigint[] = (await consumer.listOffsets({ topics: ["logs"], timestamp: -1n })).get("logs");
  await consumer.close();
  assert.equal(Number(ends.reduce((sum, end) => sum + end)), MESSAGES, "each message is in the topic once");
}

const LAST = "last";

/**
 * Writes a last message to each partition of the output: a consumer that has read them has read everything before them.
 */
async function markEnd(): Promise<void> {
  const producer = new kafka.Producer({ ...client(), idempotent: true });
  const messages = Array.from({ length: PARTITIONS }, (_, partition) => ({
    topic: "identified",
    partition,
    key: Buffer.from(LAST),
    value: Buffer.from(LAST),
  }));
  await producer.send({ messages });
  await producer.close();
}

/** A process of the example, restarted when it ends unless it was killed. */
function startMember(): ChildProcess {
  const args = [join(folder.path, "identify.js"), broker.address, "logs", "identified"];
  const member = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  children.add(member);
  void once(member, "exit").then(([, signal]) => {
    children.delete(member);
    if (signal === null && !isOver) startMember();
  });
  return member;
}

interface Output {
  readonly key: string;
  readonly value: string;
}

/** Reads committed messages of the output as they arrive, with Kafka's own consumer. */
function follow(): { readonly read: Output[]; close(): Promise<void> } {
  const options = ["--bootstrap-server", broker.address, "--topic", "identified", "--from-beginning"];
  const committed = ["--isolation-level", "read_committed", "--property", "print.key=true"];
  const program = [...JAVA, "org.apache.kafka.tools.consumer.ConsoleConsumer", ...options, ...committed];
  const reader = spawn("java", program, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(reader);
  const read: Output[] = [];
  createInterface(reader.stdout).on("line", (line) => {
    const tab = line.indexOf("\t");
    read.push({ key: line.slice(0, tab), value: line.slice(tab + 1) });
  });
  const close = async () => {
    reader.kill("SIGKILL");
    if (reader.exitCode === null && reader.signalCode === null) await once(reader, "close");
    children.delete(reader);
  };
  return { read, close };
}

/** Asserts that every message is there once, with what the library says; returns how many have services. */
function compare(read: readonly Output[]): number {
  const keys = new Set(read.map(({ key }) => key));
  assert.deepEqual([keys.size, read.length], [MESSAGES, MESSAGES], "each message once");
  let found = 0;
  for (const { key, value } of read) {
    const sent = values[Number(key)]!;
    const other = OTHERS.find(([each]) => each === sent);
    if (other !== undefined) {
      assert.equal(value, other[1]);
      continue;
    }
    const record = JSON.parse(sent);
    const { cidr, cbs_ids } = identifyText(catalogue, record.ip);
    assert.deepEqual(JSON.parse(value), { ...record, cidr, cbs_ids });
    if (cbs_ids.length > 0) found++;
  }
  return found;
}

describe("Kafka, two members of a consumer group", { skip: missing || onlyLong() }, () => {
  test(
    "a member and the broker are killed: every message once, as the library says",
    { timeout: TIMEOUT },
    async (t) => {
      await fill();
      const first = startMember();
      startMember();
      let output = follow();
      const within = TIMEOUT;
      await until("some are written", () => output.read.length > MESSAGES / 20, { every: 5, within });
      first.kill("SIGKILL");
      const atKill = output.read.length;
      startMember();
      await until("more are written", () => output.read.length > atKill + MESSAGES / 20, { every: 5, within });
      const atRestart = output.read.length;
      await output.close();
      await broker.restart();
      output = follow();
      const count = () => new Set(output.read.map(({ key }) => key)).size;
      await until("all are written", () => count() >= MESSAGES, { every: 200, within });
      await markEnd();
      const lasts = () => output.read.filter(({ key }) => key === LAST).length;
      await until("all are read", () => lasts() === PARTITIONS, { every: 200, within });
      const read = output.read.filter(({ key }) => key !== LAST);
      const found = compare(read);
      t.diagnostic(
        `a member killed after ${atKill} of ${MESSAGES}, the broker after ${atRestart}; ${found} with services`,
      );
      assert.ok(atKill < MESSAGES && found > MESSAGES / 3);
      const twice = [...read, read[0]!];
      for (const bad of [twice, twice.slice(2), read.with(0, { ...read[0]!, value: "{}" })])
        assert.throws(() => compare(bad), { name: "AssertionError" }, "negative control");
      await output.close();
    },
  );
});
