// Usage: node identify.js BROKER[,BROKER...] FROM TO [GROUP]. Adds the services of an address to each message of a
// topic: the value, JSON with the member `ip`, goes to another topic with `cidr` and `cbs_ids`, under the same key. Any
// number of these processes share the partitions, as members of one consumer group.
//
// Output and offsets are committed in one transaction, which names the generation of the group in which they were read.
// So consumers with the isolation level read_committed get the output of every message exactly once, even if a process
// or the broker is killed.
import { randomUUID } from "node:crypto";
import { Admin, Consumer, Producer } from "@platformatic/kafka";
import { identifyText, openCatalogue } from "ipsieve";

const [brokers, from, to, group = "ipsieve"] = process.argv.slice(2);
if (to === undefined) throw new Error("usage: node identify.js BROKER[,BROKER...] FROM TO [GROUP]");
const MAX_BATCH = 1000;

const catalogue = await openCatalogue();
// The timeout also applies to transactions: the broker keeps what a killed process has begun open for that long. It
// looks for such transactions every ten seconds, which the retries wait for.
const patience = { timeout: 10_000, retries: 600, retryDelay: 50 };
const client = { clientId: "ipsieve", bootstrapBrokers: brokers.split(","), ...patience };
const consumer = new Consumer({ ...client, groupId: group, sessionTimeout: 10_000, heartbeatInterval: 1000 });
const producer = new Producer({ ...client, idempotent: true, transactionalId: `ipsieve-${randomUUID()}` });
const admin = new Admin(client);

/** Values that are not JSON, or have no address, are passed on as they are, without services. */
function identified(value) {
  let record;
  try {
    record = JSON.parse(value);
    const { cidr, cbs_ids } = identifyText(catalogue, record.ip);
    return JSON.stringify({ ...record, cidr, cbs_ids });
  } catch {
    const isObject = typeof record === "object" && record !== null && !Array.isArray(record);
    return isObject ? JSON.stringify({ ...record, cidr: null, cbs_ids: [] }) : value;
  }
}

/** This process in the current generation of the group, with its partitions. */
let membership;
consumer.on("consumer:group:join", ({ groupId, memberId, generationId, assignments }) => {
  const partitions = (assignments ?? []).flatMap((each) => each.partitions);
  membership = { consumer: { groupId, memberId, generationId, coordinatorId: consumer.coordinatorId }, partitions };
  consumer.emit("shared out");
});

/** Where to start in each partition. Fails while a transaction of an earlier owner is open (requireStable). */
async function committedOffsets(partitions) {
  const topics = [{ name: from, partitionIndexes: partitions }];
  const [found] = await admin.listConsumerGroupOffsets({ groups: [{ groupId: group, topics }], requireStable: true });
  return found.topics.flatMap((topic) =>
    topic.partitions
      .filter(({ committedOffset }) => committedOffset >= 0n)
      .map(({ partitionIndex, committedOffset }) => ({
        topic: from,
        partition: partitionIndex,
        offset: committedOffset,
      })),
  );
}

/**
 * Writes the output of a batch, and the offset after it in each partition; both or nothing. The offsets are sent first:
 * if the partitions have been reassigned, the broker rejects them, and nothing has been written. Returns whether the
 * batch was written.
 */
async function write(batch, metadata) {
  const last = new Map(batch.map((message) => [message.partition, message]));
  const messages = batch.map(({ key, value }) => ({ topic: to, key, value: Buffer.from(identified(value)) }));
  const transaction = await producer.beginTransaction();
  try {
    await transaction.addConsumer(consumer);
    for (const message of last.values()) await transaction.addOffset({ ...message, metadata });
  } catch (error) {
    if (metadata === membership && !isOfEarlierGeneration(error)) throw error;
    await transaction.abort();
    return false;
  }
  await transaction.send({ messages });
  await transaction.commit();
  return true;
}

const REFUSALS = ["ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS"];
const isOfEarlierGeneration = (error) =>
  REFUSALS.includes(error.apiId) ||
  [error.cause, ...(error.errors ?? [])].some((each) => each && isOfEarlierGeneration(each));

/** Reads and writes, starting at the committed offsets, until the partitions are reassigned. */
async function readGeneration(metadata) {
  const offsets = await committedOffsets(metadata.partitions);
  if (metadata !== membership) return;
  const options = { topics: [from], autocommit: false, fallbackMode: "earliest", maxWaitTime: 500 };
  const stream = await consumer.consume({ ...options, mode: "manual", offsets });
  const end = () => void stream.close().catch(endOn);
  consumer.once("shared out", end);
  try {
    let batch = [];
    for await (const message of stream) {
      if (metadata !== membership) return;
      batch.push(message);
      if (batch.length < MAX_BATCH && stream.readableLength > 0) continue;
      if (!(await write(batch, metadata))) return;
      batch = [];
    }
  } finally {
    consumer.off("shared out", end);
    await stream.close();
  }
}

/** The broker discards what is open. The supervisor of this process starts it again. */
function endOn(error) {
  console.error(`ended, nothing of the last batch is written: ${error.message}`);
  process.exit(1);
}
consumer.on("error", endOn);

consumer.topics.trackAll(from);
await consumer.joinGroup().catch(endOn);
for (;;) await readGeneration(membership).catch(endOn);
