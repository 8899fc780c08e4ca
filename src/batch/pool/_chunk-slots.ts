import type { SharedSlots } from "./messages.ts";

const FREE = 0;
const FILLED = 1;
const TAKEN = 2;

/**
 * Positions in `states`: a counter that changes whenever a worker may continue, whether no more chunks come, then
 * slots.
 */
const WAKE = 0;
const CLOSED = 1;
const SLOTS = 2;
/** Fields of a slot: its state, the number of the chunk, its bytes, and how many addresses they hold. */
const SLOT_FIELDS = 4;

/** A chunk that a worker has taken. */
export interface TakenChunk {
  readonly slot: number;
  readonly chunk: number;
  readonly bytes: Buffer;
  /** How many addresses are in it; 0 for lines. */
  readonly count: number;
}

/**
 * Where the calling thread lays out chunks of its input for workers, who wait for them without their event loops:
 *
 *     calling thread:  FREE ──fill──▶ FILLED ──take back──▶ FREE
 *     a worker:                       FILLED ──next──▶ TAKEN ──done──▶ FREE
 *
 * Only the calling thread fills; a slot changes hands by one compare-and-exchange.
 */
export class ChunkSlots {
  readonly shared: SharedSlots;
  readonly #states: Int32Array;
  readonly #count: number;

  constructor(shared: SharedSlots) {
    this.shared = shared;
    this.#states = new Int32Array(shared.states);
    this.#count = (this.#states.length - SLOTS) / SLOT_FIELDS;
  }

  static create(data: SharedArrayBuffer, slotBytes: number): ChunkSlots {
    const slots = Math.floor(data.byteLength / slotBytes);
    const states = new SharedArrayBuffer((SLOTS + slots * SLOT_FIELDS) * Int32Array.BYTES_PER_ELEMENT);
    return new ChunkSlots({ states, data, slotBytes });
  }

  /** A slot to fill, -1 if all are in use. */
  free(): number {
    for (let slot = 0; slot < this.#count; slot++) if (Atomics.load(this.#states, at(slot)) === FREE) return slot;
    return -1;
  }

  bytesOf(slot: number, byteLength: number = this.shared.slotBytes): Buffer {
    return Buffer.from(this.shared.data, slot * this.shared.slotBytes, byteLength);
  }

  /** Passes a filled slot to the workers. */
  fill(slot: number, chunk: number, byteLength: number, count: number): void {
    const states = this.#states;
    states[at(slot) + 1] = chunk;
    states[at(slot) + 2] = byteLength;
    states[at(slot) + 3] = count;
    Atomics.store(states, at(slot), FILLED);
    this.#wake();
  }

  /** The number of a chunk that no worker has taken and none will take any more; -1 if there is none. */
  takeBack(): number {
    for (let slot = 0; slot < this.#count; slot++) {
      if (Atomics.compareExchange(this.#states, at(slot), FILLED, FREE) === FILLED) return this.#states[at(slot) + 1]!;
    }
    return -1;
  }

  /** No more chunks come: workers end after the existing ones. */
  close(): void {
    Atomics.store(this.#states, CLOSED, 1);
    this.#wake();
  }

  #wake(): void {
    Atomics.add(this.#states, WAKE, 1);
    Atomics.notify(this.#states, WAKE);
  }

  /** In a worker: waits for the next chunk; null if no more come. */
  next(): TakenChunk | null {
    const states = this.#states;
    for (;;) {
      const seen = Atomics.load(states, WAKE);
      const isClosed = Atomics.load(states, CLOSED) === 1; // read before the slots: what was filled before is seen
      for (let slot = 0; slot < this.#count; slot++) {
        if (Atomics.compareExchange(states, at(slot), FILLED, TAKEN) !== FILLED) continue;
        const bytes = this.bytesOf(slot, states[at(slot) + 2]!);
        return { slot, chunk: states[at(slot) + 1]!, bytes, count: states[at(slot) + 3]! };
      }
      if (isClosed) return null;
      Atomics.wait(states, WAKE, seen);
    }
  }

  /** In a worker: the chunk is done, its slot may be refilled. */
  done({ slot }: TakenChunk): void {
    Atomics.store(this.#states, at(slot), FREE);
  }
}

function at(slot: number): number {
  return SLOTS + slot * SLOT_FIELDS;
}
