/**
 * The slow answers about addresses: string splitting, one regular expression per group, and BigInt. Shares no code with
 * src. An address is a 128-bit number; an IPv4 address is represented by its mapped form, so both its spellings are the
 * same number.
 */
const MAPPED = 0xffffn << 32n;

const OCTETS = new Map(Array.from({ length: 256 }, (_, value) => [String(value), BigInt(value)] as const));

/** The address as a number; null if the text is not an address. */
export function oracleParse(text: string): bigint | null {
  const quad = parseQuad(text);
  if (quad !== null) return MAPPED | quad;
  const sides = text.split("::");
  if (sides.length > 2) return null;
  const left = parseGroups(sides[0]!, sides.length === 1);
  const right = parseGroups(sides[1] ?? "", true);
  if (left === null || right === null) return null;
  const missing = 8 - left.length - right.length;
  if (sides.length === 1 ? missing !== 0 : missing < 1) return null;
  const zeros = Array.from({ length: missing }, () => 0n);
  return [...left, ...zeros, ...right].reduce((value, group) => value * 65536n + group, 0n);
}

function parseQuad(text: string): bigint | null {
  const octets = text.split(".").map((octet) => OCTETS.get(octet));
  if (octets.length !== 4) return null;
  return octets.reduce<bigint | null>(
    (value, octet) => (value === null || octet === undefined ? null : value * 256n + octet),
    0n,
  );
}

/** The groups between colons; the last one may be an embedded IPv4 address if it ends the text. */
function parseGroups(text: string, endsTheText: boolean): bigint[] | null {
  if (text === "") return [];
  const groups: bigint[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const quad = endsTheText && index === parts.length - 1 ? parseQuad(part) : null;
    if (quad !== null) groups.push(quad / 65536n, quad % 65536n);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}

/** The canonical text: tries every way to write :: and keeps the one that RFC 5952 prefers. */
export function oracleFormat(value: bigint): string {
  if (value >> 32n === 0xffffn) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  let best = groups.join(":");
  let bestLength = 1;
  for (let from = 0; from < 8; from++) {
    for (let to = from + 2; to <= 8; to++) {
      if (to - from <= bestLength || groups.slice(from, to).some((group) => group !== "0")) continue;
      best = `${groups.slice(0, from).join(":")}::${groups.slice(to).join(":")}`;
      bestLength = to - from;
    }
  }
  return best;
}

/** A block of 2^(bits - length) numbers. */
export interface Block {
  first: bigint;
  length: number;
}

/** The fewest aligned blocks from `first` to `last`: always the largest block that begins here and fits. */
export function oracleBlocks(first: bigint, last: bigint, bits: number): Block[] {
  const blocks: Block[] = [];
  for (let at = first; at <= last;) {
    let size = 1n;
    let length = bits;
    while (length > 0 && at % (size * 2n) === 0n && at + size * 2n - 1n <= last) {
      size *= 2n;
      length--;
    }
    blocks.push({ first: at, length });
    at += size;
  }
  return blocks;
}

/**
 * The fewest aligned blocks that contain exactly the numbers of the given ones: their union as intervals, each split
 * again.
 */
export function oracleMerge(blocks: readonly Block[], bits: number): Block[] {
  const spans = blocks.map(
    ({ first, length }) => [first, first + (1n << BigInt(bits - length)) - 1n] as [bigint, bigint],
  );
  spans.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const union: [bigint, bigint][] = [];
  for (const [first, last] of spans) {
    const previous = union.at(-1);
    if (previous === undefined || first > previous[1] + 1n) union.push([first, last]);
    else if (last > previous[1]) previous[1] = last;
  }
  return union.flatMap(([first, last]) => oracleBlocks(first, last, bits));
}
