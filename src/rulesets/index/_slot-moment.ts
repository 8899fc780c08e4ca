/** The part of `RuleSlots` that reading needs. */
interface Slots {
  readonly words: 1 | 4;
  readonly keys: Uint32Array;
  readonly lengths: Uint8Array;
  readonly expiresAt: Float64Array;
  readonly createdAt: Float64Array;
  readonly updatedAt: Float64Array;
  readonly names: { get(slot: number): string | null };
  readonly end: number;
  isTaken(slot: number): boolean;
  compareSlots(one: number, other: number): number;
}

/** What a slot held. */
export interface KeptSlot {
  readonly isTaken: boolean;
  readonly key: readonly number[];
  readonly length: number;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly name: string | null;
}

/**
 * The slots as they were at a moment. Before a slot is written to, its old content is kept here; all others are read in
 * place:
 *
 *     slot 7 changes twice     kept: what it held at the moment        the slot: what it holds now
 *     slot 8 does not change   not kept                                the slot: what it held at the moment
 *
 * So beginning a moment costs nothing, and each rule written while it lasts costs a little.
 */
export class SlotMoment {
  readonly slots: Slots;
  /** Ends the moment: nothing is kept any more. */
  readonly end: () => void;
  readonly #slotEnd: number;
  readonly #kept = new Map<number, KeptSlot>();

  /** Only `RuleSlots.moment` makes moments. */
  constructor(slots: Slots, end: () => void) {
    this.slots = slots;
    this.end = end;
    this.#slotEnd = slots.end;
  }

  /** Must be called before a slot is written to: keeps its content. */
  keep(slot: number): void {
    const { slots } = this;
    if (slot >= this.#slotEnd || this.#kept.has(slot)) return;
    this.#kept.set(slot, {
      isTaken: slots.isTaken(slot),
      key: Array.from(slots.keys.subarray(slot * slots.words, (slot + 1) * slots.words)),
      length: slots.lengths[slot]!,
      expiresAt: slots.expiresAt[slot]!,
      createdAt: slots.createdAt[slot]!,
      updatedAt: slots.updatedAt[slot]!,
      name: slots.names.get(slot),
    });
  }

  /** The old content of a slot that was written to since; undefined if it was not. */
  kept(slot: number): KeptSlot | undefined {
    return this.#kept.size === 0 ? undefined : this.#kept.get(slot);
  }

  /** Whether there was a rule in the slot. */
  isTaken(slot: number): boolean {
    return slot < this.#slotEnd && (this.kept(slot)?.isTaken ?? this.slots.isTaken(slot));
  }

  /** As `RuleSlots.compareSlots`. */
  compareSlots(one: number, other: number): number {
    const { slots } = this;
    const [keptOne, keptOther] = [this.kept(one), this.kept(other)];
    if (keptOne === undefined && keptOther === undefined) return slots.compareSlots(one, other);
    for (let word = 0; word < slots.words; word++) {
      const difference =
        (keptOne?.key[word] ?? slots.keys[one * slots.words + word]!) -
        (keptOther?.key[word] ?? slots.keys[other * slots.words + word]!);
      if (difference !== 0) return difference;
    }
    return (keptOne?.length ?? slots.lengths[one]!) - (keptOther?.length ?? slots.lengths[other]!);
  }
}
