import { close, constants, closeSync, open, openSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const RELEASE_MS = 10;
const RELEASE_TRIES = 100;

const openFile = promisify(open);
const closeFile = promisify(close);

/**
 * Opens a named pipe, which waits for its other end, as a stream that `stop` destroys. Neither the wait nor reading and
 * writing outlive `stop`: a thread that is blocked in the kernel could not be cancelled, and would keep the process
 * from ending.
 */
export async function openNamedPipe(path: string, use: "read" | "write", stop: AbortSignal): Promise<Socket> {
  stop.throwIfAborted();
  const opening = openFile(path, use === "read" ? "r" : constants.O_WRONLY);
  const settled = opening.then(
    () => {},
    () => {},
  );
  let wake!: () => void;
  const stopped = new Promise<void>((resolve) => {
    wake = () => resolve();
    stop.addEventListener("abort", wake);
  });
  await Promise.race([settled, stopped]);
  stop.removeEventListener("abort", wake);
  if (stop.aborted) {
    await release(path, use, settled);
    opening.then(closeFile).catch(() => {});
    throw stop.reason;
  }
  const socket = new Socket({ fd: await opening, readable: use === "read", writable: use === "write" });
  return addAbortSignal(stop, socket);
}

/**
 * Ends an `open` that waits, by being its other end for a moment; again and again, as it may not have begun to wait.
 */
async function release(path: string, use: "read" | "write", settled: Promise<void>): Promise<void> {
  const done = settled.then(() => true);
  for (let tries = 0; tries < RELEASE_TRIES; tries++) {
    try {
      closeSync(openSync(path, constants.O_NONBLOCK | (use === "read" ? constants.O_WRONLY : constants.O_RDONLY)));
    } catch {
      // ENXIO: no one waits yet
    }
    if (await Promise.race([done, delay(RELEASE_MS, false)])) return;
  }
}
