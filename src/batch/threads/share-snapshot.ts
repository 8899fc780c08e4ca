import { Snapshot } from "../../snapshot/snapshot.ts";

/** A snapshot for another thread; its number is unique in this process. */
export interface SharedSnapshot {
  readonly number: number;
  readonly shared: Snapshot["shared"];
}

const numbers = new WeakMap<Snapshot, number>();
let last = 0;

/** What other threads attach to, with the same number every time. */
export function sharedSnapshot(snapshot: Snapshot): SharedSnapshot {
  const number = numbers.get(snapshot) ?? ++last;
  numbers.set(snapshot, number);
  return { number, shared: snapshot.shared };
}

let attached: { readonly number: number; readonly snapshot: Snapshot } | undefined;

/** In a worker: the snapshot, attached once for all consecutive tasks that name it. Throws SnapshotError. */
export function attachedSnapshot({ number, shared }: SharedSnapshot): Snapshot {
  if (attached?.number !== number) attached = { number, snapshot: Snapshot.attach(shared) };
  return attached.snapshot;
}

/** In a worker: releases a snapshot that no task will name any more. */
export function forgetSnapshot(number: number): void {
  if (attached?.number === number) attached = undefined;
}
