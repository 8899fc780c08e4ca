// Masks of 64 bytes, one bit a byte, the first byte lowest.

/** Bit i is set where bytes[at + i] is this byte, i < 64. */
@inline
export function bytesIn(at: usize, byte: v128): u64 {
  const first = i8x16.eq(v128.load(at), byte);
  const second = i8x16.eq(v128.load(at, 16), byte);
  return maskOf4(first, second, i8x16.eq(v128.load(at, 32), byte), i8x16.eq(v128.load(at, 48), byte));
}

/** Bit i: bit 7 of byte i of four vectors. */
@inline
export function maskOf4(first: v128, second: v128, third: v128, fourth: v128): u64 {
  const m0 = <u32>i8x16.bitmask(first);
  const m1 = <u32>i8x16.bitmask(second);
  const m2 = <u32>i8x16.bitmask(third);
  const m3 = <u32>i8x16.bitmask(fourth);
  return <u64>(m0 | (m1 << 16)) | (<u64>(m2 | (m3 << 16)) << 32);
}

/** The first so many bits, at least one: a shift by 64 would be none. */
@inline
export function upTo(bits: usize, mask: u64): u64 {
  return bits < 64 ? mask & ((<u64>1 << bits) - 1) : mask;
}

/** Bit i is set where an odd number of the bits 0 to i are. */
@inline
export function parities(bits: u64): u64 {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  return bits ^ (bits << 32);
}
