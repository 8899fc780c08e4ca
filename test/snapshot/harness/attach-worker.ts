import { parentPort, workerData } from "node:worker_threads";
import { Snapshot } from "../../../src/snapshot/open-snapshot.ts";

const { buffer, word } = workerData as { buffer: SharedArrayBuffer; word: number };
const snapshot = Snapshot.attach(buffer);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage({ info: snapshot.info, metadata: snapshot.metadata, match: snapshot.table.lookup4(word) });
