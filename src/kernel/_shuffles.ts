import { PLACES, SHUFFLES } from "./workspace.ts";

/** Writes the shuffles by which the lookups keep some of four words, for every choice of the four. */
export function writeShuffles(buffer: ArrayBufferLike, workspace: number): void {
  const bytes = new Uint8Array(buffer, workspace + SHUFFLES, 256);
  for (let mask = 0; mask < 16; mask++) {
    let at = 16 * mask;
    for (let word = 0; word < 4; word++) {
      if (((mask >>> word) & 1) !== 0) for (let byte = 0; byte < 4; byte++) bytes[at++] = 4 * word + byte;
    }
  }
  new Int32Array(buffer, workspace + PLACES, 8).set([0, 4, 8, 12, 16, 16, 16, 16]);
}
