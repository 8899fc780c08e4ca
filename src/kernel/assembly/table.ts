/** The table that this instance looks up in: byte addresses of its sections, set once by the loader. */
export let root4: usize = 0;
/** 32 - root bits. */
export let rootShift4: i32 = 24;
export let nodes4: usize = 0;
export let root6: usize = 0;
/** 16 - root bits. */
export let rootShift6: i32 = 16;
export let nodes6: usize = 0;
/** The largest match id. */
export let matchCount: i32 = 0;
/** The lengths of the matches' prefixes, a byte each, from match 0 on. */
export let matchLengths: usize = 0;

/*
 * A root index is an address's first bits: word >>> shift, below 2^(32 - shift), the number of root entries. IPv6 takes
 * the upper 16 bits first, so that both shifts stay below 32 with a root of no bits at all: one entry, index 0.
 */
export function setTable(root4At: usize, shift4: i32, nodes4At: usize, root6At: usize, shift6: i32, nodes6At: usize, matches: i32, lengthsAt: usize): void {
  root4 = root4At;
  rootShift4 = shift4;
  nodes4 = nodes4At;
  root6 = root6At;
  rootShift6 = shift6;
  nodes6 = nodes6At;
  matchCount = matches;
  matchLengths = lengthsAt;
}

/** The family of the last batch, to report where a trap came from. */
let family: i32 = 0;

@inline
export function lookingUp(batch: i32): void {
  family = batch;
}

export function lookedUp(): i32 {
  return family;
}
