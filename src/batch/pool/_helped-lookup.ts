import { ChunkSlots } from "./_chunk-slots.ts";
import { type ChunkedInput, LineChunks, SLOT_BYTES } from "./_chunked-input.ts";
import type { Help } from "./_help.ts";
import type { HelpTask } from "./messages.ts";
import { errorOf, type ThreadFailure } from "../threads/thread-failure.ts";
import type { WorkerThreads } from "../threads/worker-threads.ts";

/** Chunks per worker: one being processed and one that is ready. */
const SLOTS_PER_WORKER = 2;
/** Chunks between two pauses of the calling thread: some 3 ms. */
const CHUNKS_PER_TURN = 8;

/**
 * One lookup by the calling thread, from the last chunk down, and by workers, from the first chunk up:
 *
 *     | 0 | 1 | 2 | ──▶ workers           this thread ◀── | n-2 | n-1 |
 *
 * The faster side does more, so that no one waits for long at the end.
 */
export class HelpedLookup {
  readonly #input: ChunkedInput;
  readonly #signal: AbortSignal;
  /** How many chunks from the front are with workers, or done; and where the done ones at the end begin. */
  #front = 0;
  #back: number;
  /** A worker has ended prematurely. */
  #isBroken = false;

  constructor(input: ChunkedInput, signal: AbortSignal) {
    this.#input = input;
    this.#signal = signal;
    this.#back = input.chunks;
  }

  /** With the idle workers. Rejects with the first error; nothing of the input is in use then. */
  async run(
    workers: WorkerThreads | null,
    task: Pick<HelpTask, "snapshot" | "engine" | "now">,
  ): Promise<{ readonly isMalformed: boolean }> {
    this.#signal.throwIfAborted();
    const helpers = Math.min(workers?.idle ?? 0, this.#input.chunks - 1);
    if (helpers < 1) {
      await this.#work(null);
      return { isMalformed: false };
    }
    const slots = ChunkSlots.create(new SharedArrayBuffer(helpers * SLOTS_PER_WORKER * SLOT_BYTES), SLOT_BYTES);
    const { kind, out } = this.#input;
    const helping = Array.from({ length: helpers }, () =>
      this.#help(workers!, { ...task, kind, out, slots: slots.shared }),
    );
    for (const help of helping) help.catch(() => {}); // handled below
    try {
      await this.#work(slots);
    } finally {
      slots.close();
      await Promise.allSettled(helping);
    }
    return { isMalformed: (await Promise.all(helping)).includes(true) };
  }

  /** Whether the worker found a malformed text. */
  async #help(workers: WorkerThreads, task: HelpTask): Promise<boolean> {
    let isWhole = false;
    try {
      const help = await workers.run<Help | { readonly failure: ThreadFailure }>("help", task);
      if ("failure" in help) throw errorOf(help.failure);
      if (this.#input instanceof LineChunks) this.#input.parts.push(...help.parts);
      isWhole = !help.isMalformed;
      return help.isMalformed;
    } finally {
      if (!isWhole) this.#isBroken = true;
    }
  }

  async #work(slots: ChunkSlots | null): Promise<void> {
    if (slots !== null) this.#layOut(slots);
    // Even calls in a loop give others a turn, not least the messages of workers.
    if (this.#input.chunks > 1) await this.#pause(slots);
    for (let done = 1; this.#front < this.#back && !this.#isBroken; done++) {
      if (slots !== null) this.#layOut(slots);
      if (this.#front < this.#back) this.#input.lookUpHere(--this.#back);
      if (done % CHUNKS_PER_TURN === 0 && this.#front < this.#back) await this.#pause(slots);
    }
    for (let chunk = slots?.takeBack() ?? -1; chunk >= 0 && !this.#isBroken; chunk = slots!.takeBack())
      this.#input.lookUpHere(chunk);
  }

  /** Fills the free slots, and leaves a chunk for this thread. */
  #layOut(slots: ChunkSlots): void {
    for (let slot = slots.free(); slot >= 0 && this.#front < this.#back - 1; slot = slots.free()) {
      const chunk = this.#front++;
      const copied = this.#input.copy(chunk, slots.bytesOf(slot));
      if (copied === null) return this.#input.lookUpHere(chunk);
      slots.fill(slot, chunk, copied.byteLength, copied.count);
    }
  }

  async #pause(slots: ChunkSlots | null): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.#signal.aborted) return;
    for (let chunk = slots?.takeBack() ?? -1; chunk >= 0;) chunk = slots!.takeBack();
    throw this.#signal.reason;
  }
}
