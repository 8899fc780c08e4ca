import { explain } from "./_explain.ts";
import { addressBits } from "./address.ts";
import type { Address, Family, Prefix } from "./address.ts";
import { AddressError } from "./address-error.ts";
import { formatAddress } from "./format-address.ts";
import { isAddress, parseAddress } from "./parse-address.ts";

/**
 * Parses `address/length`; a bare address is its own /32 or /128. Host bits that are set are an error that names the
 * canonical prefix, or are cleared with `"mask"`. An IPv4-mapped prefix longer than 96 is the IPv4 prefix; a shorter one,
 * and the whole block `::ffff:0:0/96`, are errors. Throws AddressError.
 */
export function parsePrefix(text: string, hostBits: "reject" | "mask" = "reject"): Prefix {
  if (hostBits !== "reject" && hostBits !== "mask")
    throw new TypeError(`hostBits must be "reject" or "mask", not ${JSON.stringify(hostBits)}`);
  if (typeof text !== "string") throw new TypeError(`a prefix must be a string, not ${String(text)}`);
  const slash = text.indexOf("/");
  if (slash < 0) {
    const address = parseAddress(text);
    return { ...address, length: addressBits(address.family) };
  }
  const address = addressBefore(text, slash);
  const written: Family = text.lastIndexOf(":", slash) < 0 ? 4 : 6;
  let length = parseLength(text, slash + 1, written);
  if (written !== address.family) {
    // A mapped address: the length counts all its 128 bits.
    //     ::ffff:192.0.2.0/120    | 80 zeros | 16 ones | 192.0.2.0 |      120 - 96 = 24: 192.0.2.0/24
    // RFC 4291, section 2.5.5.2: the block is ::ffff:0:0/96.
    if (length < 96) throw mappedLength(text, slash, address, length);
    if (length === 96) throw new AddressError("mapped-block", text, 0, MAPPED_BLOCK);
    length -= 96;
  }
  const prefix = prefixOf(address, length);
  if (hostBits === "reject" && !sameAddress(prefix, address)) {
    const problem = `host bits are set; did you mean ${formatPrefix(prefix)}?`;
    throw new AddressError("host-bits-set", text, slash + 1, problem);
  }
  return prefix;
}

/** The canonical text; /32 and /128 are printed as the bare address. */
export function formatPrefix(prefix: Prefix): string {
  const address = formatAddress(prefix);
  return prefix.length === addressBits(prefix.family) ? address : `${address}/${prefix.length}`;
}

/**
 * The prefix of this length that covers the address: its host bits are cleared. Throws AddressError for a length that
 * its family does not have.
 */
export function prefixOf(address: Address, length: number): Prefix {
  const bits = addressBits(address.family);
  if (!Number.isInteger(length) || length < 0 || length > bits) {
    const text = formatAddress(address);
    throw new AddressError("length-out-of-range", `${text}/${length}`, text.length + 1, lengthRange(address.family));
  }
  return {
    family: address.family,
    // Of the bits of the length, each word takes those that the words before it have left: 32, none, or some.
    w0: maskWord(address.w0, length),
    w1: maskWord(address.w1, length - 32),
    w2: maskWord(address.w2, length - 64),
    w3: maskWord(address.w3, length - 96),
    length,
  };
}

/**
 * Whether every address of `inner` is one of `outer`; a prefix contains itself. Prefixes of different families never
 * do.
 */
export function prefixContains(outer: Prefix, inner: Prefix): boolean {
  // The host bits of a prefix are 0, so masking `inner` to the length of `outer` gives the words of `outer` exactly if
  // the two agree in its leading bits. A shorter `inner` has addresses outside of it, whatever its bits.
  //     outer 10.0.0.0/8     inner 10.1.2.0/24 masked to 8 bits: 10.0.0.0, contained
  return (
    outer.family === inner.family &&
    outer.length <= inner.length &&
    maskWord(inner.w0, outer.length) === outer.w0 &&
    maskWord(inner.w1, outer.length - 32) === outer.w1 &&
    maskWord(inner.w2, outer.length - 64) === outer.w2 &&
    maskWord(inner.w3, outer.length - 96) === outer.w3
  );
}

/**
 * The order of prefixes everywhere: IPv4 before IPv6, then by address, then the less specific first. Negative, 0 or
 * positive.
 */
export function comparePrefixes(a: Prefix, b: Prefix): number {
  // A prefix has the smallest of its addresses, so everything it covers follows it immediately: by a larger address, or
  // by the same address and a greater length. Nothing else comes between:
  //     10.0.0.0/8   10.0.0.0/9   10.64.0.0/10   10.128.0.0/9   11.0.0.0/8
  // Words are unsigned, below 2^32, so their differences are exact as floats.
  return a.family - b.family || a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3 || a.length - b.length;
}

/** Whether the text is a prefix, as in files that people edit: host bits may be set. O(length). */
export function isPrefix(text: string): boolean {
  try {
    parsePrefix(text, "mask");
    return true;
  } catch {
    return false;
  }
}

/** The first `length` bits of the word, the rest zero; any length is allowed, below 0 as 0 and above 32 as 32. */
export function maskWord(word: number, length: number): number {
  // The shift is by 1 to 31 in the last line; by 32 it would be by none, as JavaScript counts shifts modulo 32.
  //     length 20     -1 << 12 = ffff f000        & is signed, >>> 0 makes the word unsigned again
  if (length <= 0) return 0;
  return length >= 32 ? word : (word & (-1 << (32 - length))) >>> 0;
}

function addressBefore(text: string, slash: number): Address {
  try {
    return parseAddress(text.slice(0, slash));
  } catch (error) {
    // The same error, reported for the whole text.
    throw error instanceof AddressError ? explain(error.code, text, error.position) : error;
  }
}

function parseLength(text: string, at: number, family: Family): number {
  const digits = text.slice(at);
  if (digits === "")
    throw new AddressError("length-missing", text, at, `the length is missing; ${lengthRange(family)}`);
  const wrong = digits.search(/[^0-9]/);
  if (wrong >= 0) throw new AddressError("length-malformed", text, at + wrong, malformedLength(digits, family));
  if (digits.length > 1 && digits.startsWith("0")) {
    throw new AddressError("length-leading-zero", text, at, "the length has a leading zero; remove it");
  }
  // At most three digits come to Number, so that the message about the range is not about a number that was rounded.
  const length = digits.length > 3 ? Number.POSITIVE_INFINITY : Number(digits);
  if (length > addressBits(family)) throw new AddressError("length-out-of-range", text, at, lengthRange(family));
  return length;
}

function malformedLength(written: string, family: Family): string {
  if (family === 4 && isAddress(written)) {
    const mask = parseAddress(written).w0;
    // A netmask is ones, then zeros: the zeros of ~mask before its first one are the ones of the mask (32 where ~mask
    // is 0). Masking all ones to that length gives the mask again, unless a one follows a zero: 255.0.255.0.
    const length = Math.clz32(~mask);
    if (maskWord(0xffffffff, length) === mask) return `write the netmask as a prefix length: /${length}`;
    // A wildcard mask is the complement: zeros, then ones.
    const fixed = Math.clz32(mask);
    if (~maskWord(0xffffffff, fixed) >>> 0 === mask) return `write the wildcard mask as a prefix length: /${fixed}`;
  }
  return `a prefix length is a plain decimal number; ${lengthRange(family)}`;
}

function lengthRange(family: Family): string {
  return `the length of an IPv${family} prefix is 0 to ${addressBits(family)}`;
}

/** A list with this prefix, or with one around it, means all of IPv4 to some programs, and no address to others. */
const MAPPED_BLOCK =
  "it covers the block of IPv4-mapped addresses, ::ffff:0:0/96, which is all of IPv4 in one reading and none of it in the other; write 0.0.0.0/0 for all of IPv4, or leave it out";

/** Throws AddressError for an IPv6 prefix, other than `::/0`, that covers `::ffff:0:0/96`; `text` is as written. */
export function rejectMappedBlock(prefix: Prefix, text: string): void {
  if (coversMapped(prefix)) throw new AddressError("mapped-block", text, 0, MAPPED_BLOCK);
}

/** Whether it covers `::ffff:0:0/96`, and is not `::/0`. */
export function coversMapped({ family, w0, w1, w2, length }: Prefix): boolean {
  if (family === 4 || length === 0 || length > 96 || w0 !== 0 || w1 !== 0) return false;
  return w2 === maskWord(0xffff, length - 64);
}

/** Which length a mapped prefix shorter than its block was meant to have: that of IPv4, mostly. */
function mappedLength(text: string, slash: number, address: Address, length: number): AddressError {
  const bits = Math.min(length, 32);
  const { w0 } = prefixOf(address, bits);
  const ipv4 = formatPrefix({ family: 4, w0, w1: 0, w2: 0, w3: 0, length: bits });
  const ipv6 = `::ffff:${formatAddress({ family: 4, w0, w1: 0, w2: 0, w3: 0 })}/${96 + bits}`;
  const problem = `the length of an IPv4-mapped prefix counts the bits of IPv6, 97 to 128; did you mean ${ipv4} or ${ipv6}?`;
  return new AddressError("mapped-length", text, slash + 1, problem);
}

function sameAddress(a: Address, b: Address): boolean {
  return a.w0 === b.w0 && a.w1 === b.w1 && a.w2 === b.w2 && a.w3 === b.w3;
}
