import { close, constants, closeSync, open, openSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** Milliseconds to wait for a stopped opening. It may be queued behind other work of Node's threads. */
const RELEASE_MS = 1000;

/** Stopped openings that may still hold an end of their pipe. */
const releases = new Set<Promise<void>>();

const openFile = promisify(open);
const closeFile = promisify(close);

/**
 * Opens a named pipe, which waits for its other end, as a stream that `stop` destroys. Neither the wait nor reading and
 * writing outlive `stop`: a thread blocked in the kernel could not be cancelled, and would keep the process from
 * ending.
 */
export async function openNamedPipe(path: string, use: "read" | "write", stop: AbortSignal): Promise<Socket> {
  stop.throwIfAborted();
  const opening = openFile(path, use === "read" ? "r" : constants.O_WRONLY);
  let end!: () => void;
  const stopped = new Promise<void>((resolve) => {
    end = () => resolve(noted(release(path, opening)));
    stop.addEventListener("abort", end);
  });
  await Promise.race([opening, stopped]).finally(() => stop.removeEventListener("abort", end));
  if (stop.aborted) {
    await stopped;
    throw stop.reason;
  }
  const socket = new Socket({ fd: await opening, readable: use === "read", writable: use === "write" });
  return addAbortSignal(stop, socket);
}

/** Registered synchronously, in the listener of the abort: the run that the same abort ends looks for it. */
function noted(release: Promise<void>): Promise<void> {
  const done = release.finally(() => releases.delete(done));
  releases.add(done);
  return done;
}

/**
 * Resolves when no stopped opening holds an end of a pipe that a later opening could mistake for the other end it waits
 * for.
 */
export async function pipesReleased(): Promise<void> {
  await Promise.all(releases);
}

/**
 * Ends an `open` that waits, by opening the other end. Both ends are held until it has returned, because it may not
 * have begun to wait; what it has opened is closed again.
 */
async function release(path: string, opening: Promise<number>): Promise<void> {
  let held: number;
  try {
    held = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  } catch {
    opening.then(closeFile).catch(() => {});
    return; // the pipe was removed, or this process may open one end only: the wait cannot be ended
  }
  const closed = opening
    .then(closeFile)
    .catch(() => {})
    .finally(() => closeSync(held));
  await Promise.race([closed, delay(RELEASE_MS, undefined, { ref: false })]);
}
