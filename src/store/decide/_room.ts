import { StoreError, type StoreErrorCode } from "../store-error.ts";

/** How many things an organisation has, and how many it may have. */
export interface Room {
  readonly count: number;
  readonly max: number;
}

/** Throws StoreError (`code`) if there is no room for another. `things` ends its message: what they are, and how to get room. */
export function checkRoom(code: StoreErrorCode, { count, max }: Room, things: string): void {
  if (count >= max) throw new StoreError(code, `an organisation has at most ${max} ${things}`);
}
