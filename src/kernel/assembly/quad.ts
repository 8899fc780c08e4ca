import {
  KIND_DELIMITER_BIT,
  KINDS,
  QUAD_BIAS,
  QUAD_LEAST,
  QUAD_MASK,
  QUAD_MULTIPLIER,
  QUADS,
  VECTOR_DOT_LANES,
  VECTOR_DOTS,
  VECTOR_MAX_OCTET,
  VECTOR_NINE,
  VECTOR_TO_FRONT,
  VECTOR_TO_WORDS,
  VECTOR_WEIGHTS,
} from "../workspace.ts";
import { workspace } from "./workspace.ts";

/** Where the last quad that `wholeQuad` found ends. */
export let quadEnd: usize = 0;

/**
 * Returns 1 if there is a quad at `at`, followed by a delimiter, and writes its word to `to`; otherwise returns 0, and
 * what is at `to` is undefined. No branches. The steps are explained in `findPairs` (scan.ts), which does the same for
 * two. Reads 48 bytes.
 */
@inline
export function wholeQuad(at: usize, to: usize): usize {
  const base = workspace;
  const text = v128.load(at);
  const others = i8x16.bitmask(i8x16.gt_s(i8x16.add(text, v128.load(base, VECTOR_TO_FRONT)), v128.load(base, VECTOR_NINE)));
  let three = others & (others - 1);
  three &= three - 1;
  three &= three - 1;
  const mask = others ^ (three & (three - 1));
  const quad = base + ((<usize>(<u32>(mask * <i32>QUAD_MULTIPLIER) >>> 24)) << 6);
  const digits = i8x16.relaxed_swizzle(text, v128.load(quad, QUADS));
  const sums = i32x4.relaxed_dot_i8x16_i7x16_add_s(digits, v128.load(base, VECTOR_WEIGHTS), v128.load(quad, QUADS + QUAD_BIAS));
  const octets = i16x8.narrow_i32x4_u(sums, sums);
  v128.store32_lane(to, i8x16.relaxed_swizzle(octets, v128.load(base, VECTOR_TO_WORDS)), 0);
  const least = v128.load64_zero(quad, QUADS + QUAD_LEAST);
  const noOctet = v128.or(i16x8.gt_s(octets, v128.load(base, VECTOR_MAX_OCTET)), i16x8.gt_s(least, octets));
  const noDot = v128.and(v128.xor(digits, v128.load(base, VECTOR_DOTS)), v128.load(base, VECTOR_DOT_LANES));
  const wrong = (mask ^ load<i32>(quad, QUADS + QUAD_MASK)) | <i32>v128.any_true(v128.or(noOctet, noDot));
  quadEnd = at + <usize>ctz(three);
  return <usize>(wrong == 0) & (<usize>load<u8>(base + load<u8>(quadEnd), KINDS) >>> KIND_DELIMITER_BIT);
}
