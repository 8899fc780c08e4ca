import { parentPort, workerData } from "node:worker_threads";
import { Snapshot } from "../../../src/snapshot/snapshot.ts";

const { shared, word } = workerData as { shared: Snapshot["shared"]; word: number };
const snapshot = Snapshot.attach(shared);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort!.postMessage({ info: snapshot.info, metadata: snapshot.metadata, match: snapshot.table.lookup4(word) });
