import { grown, type RuleSlots } from "./_rule-slots.ts";

const FIRST_CAPACITY = 16;
/** Rules that are moved between two interruptions. */
const STEP = 1 << 13;

/**
 * Rules by expiry, the earliest or the latest first: a binary heap of slots (J. W. J. Williams, "Heapsort", CACM 7(6), 1964).
 * Every rule knows its place in it, so that any of them can be taken out. Adding and taking out are O(log n).
 */
export class ExpiryHeap {
  readonly #slots: RuleSlots;
  /** 1: the earliest first; -1: the latest. */
  readonly #sign: 1 | -1;
  heap: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  size = 0;

  constructor(slots: RuleSlots, first: "earliest" | "latest") {
    this.#slots = slots;
    this.#sign = first === "earliest" ? 1 : -1;
  }

  /** Over a copy of the slots. */
  copy(slots: RuleSlots): ExpiryHeap {
    const copy = new ExpiryHeap(slots, this.#sign === 1 ? "earliest" : "latest");
    copy.heap = this.heap.slice();
    copy.size = this.size;
    return copy;
  }

  /** The expiry of the first rule; past all times, in this heap's direction, where there is none. */
  get firstExpiry(): number {
    return this.size === 0 ? this.#sign * Number.POSITIVE_INFINITY : this.#slots.expiresAt[this.heap[0]];
  }

  add(slot: number): void {
    if (this.size === this.heap.length) this.heap = grown(this.heap, new Uint32Array(this.size + (this.size >>> 1)));
    this.#up(this.size++, slot);
  }

  /** Takes the first rule out; the heap is not empty. */
  takeFirst(): number {
    const slot = this.heap[0];
    this.remove(slot);
    return slot;
  }

  /** Takes out a rule that is in this heap and still has the expiry it came with. */
  remove(slot: number): void {
    const place = this.#slots.places[slot];
    const last = this.heap[--this.size];
    if (last === slot) return;
    // What fills the gap comes from the bottom of another branch: it may belong on either side of the gap.
    this.#down(place, last);
    this.#up(this.#slots.places[last], last);
  }

  /** Fills the heap with these rules and no others; O(n). The array is the heap's from now on. */
  reset(slots: Uint32Array): void {
    const work = this.filling(slots);
    while (work.next().done !== true);
  }

  /** As `reset`, in steps. */
  *filling(slots: Uint32Array): Generator<undefined, void, undefined> {
    this.heap = slots.length < FIRST_CAPACITY ? grown(slots, new Uint32Array(FIRST_CAPACITY)) : slots;
    this.size = slots.length;
    for (let place = 0; place < this.size; place++) this.#slots.places[this.heap[place]] = place;
    for (let place = (this.size >>> 1) - 1; place >= 0; place--) {
      if (place % STEP === 0) yield;
      this.#down(place, this.heap[place]);
    }
  }

  #up(place: number, slot: number): void {
    const { heap } = this;
    const { places } = this.#slots;
    const key = this.#keyOf(slot);
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (this.#keyOf(heap[parent]) <= key) break;
      heap[place] = heap[parent];
      places[heap[place]] = place;
      place = parent;
    }
    heap[place] = slot;
    places[slot] = place;
  }

  #down(place: number, slot: number): void {
    const { heap, size } = this;
    const { places } = this.#slots;
    const key = this.#keyOf(slot);
    for (let child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && this.#keyOf(heap[child + 1]) < this.#keyOf(heap[child])) child++;
      if (key <= this.#keyOf(heap[child])) break;
      heap[place] = heap[child];
      places[heap[place]] = place;
      place = child;
    }
    heap[place] = slot;
    places[slot] = place;
  }

  #keyOf(slot: number): number {
    return this.#sign * this.#slots.expiresAt[slot];
  }
}
