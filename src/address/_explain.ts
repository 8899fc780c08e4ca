import { AddressError, quoted } from "./address-error.ts";
import type { AddressErrorCode } from "./address-error.ts";

/**
 * Builds the error for a parse of `value` that failed at `position`: names the error as precisely as the text allows, and
 * its cure.
 */
export function explain(code: AddressErrorCode, value: string, position: number): AddressError {
  const exact = code === "unexpected-character" ? nameCharacter(value, position) : code;
  return new AddressError(exact, value, position, problem(exact, value, position));
}

/** The known cause of a character that is not valid in an address, where there is one. */
function nameCharacter(value: string, position: number): AddressErrorCode {
  const character = value.charAt(position);
  if (character > "\x7f") return "not-ascii";
  if (/\s/.test(character)) return "whitespace";
  if (character === "%") return "zone-id";
  if (character === "[" || character === "]") return "brackets";
  if (character === "/") return "prefix-not-address";
  if (character === ":" && value.lastIndexOf(".", position) >= 0) return "port";
  return "unexpected-character";
}

function problem(code: AddressErrorCode, value: string, position: number): string {
  const rest = value.slice(position, position + 64);
  const number = /^[0-9]*/.exec(rest)![0];
  switch (code) {
    case "empty":
      return "the address is missing; write one such as 192.0.2.1 or 2001:db8::1";
    case "octet-missing":
      return "an octet is missing; write four numbers from 0 to 255, separated by single dots";
    case "octet-leading-zero":
      return `the octet ${number} has a leading zero, which some programs read as octal; did you mean ${withoutLeadingZeros(value)}?`;
    case "octet-out-of-range":
      return `the octet ${number} is above 255${asWholeNumber(value)}`;
    case "too-few-octets":
      return `an IPv4 address has four octets${asShorthand(value)}`;
    case "too-many-octets":
      return "an IPv4 address has four octets; remove everything after the fourth";
    case "group-too-long":
      return "a group has at most four hexadecimal digits; is a colon missing?";
    case "too-few-groups":
      return "an IPv6 address has eight groups; add the missing ones, or write :: for a run of zeros";
    case "too-many-groups":
      return "an IPv6 address has eight groups, a :: stands for at least one of them, and an embedded IPv4 address for two; remove the extra ones";
    case "lone-colon":
      return "an address cannot begin or end with a single colon; write :: for zeros, or remove the colon";
    case "second-gap":
      return "an address can contain only one ::; write the other run of zeros in full";
    case "not-ascii":
      return `the character ${quoted(value.slice(position, position + 1))} is not ASCII; retype the digits, dots and colons`;
    case "whitespace":
      return "white space is not allowed; remove it";
    case "zone-id":
      return `a zone id is not part of an address; remove ${rest}`;
    case "brackets":
      return "brackets are only for URLs; remove them";
    case "port":
      return `a port is not part of an address; remove ${rest}`;
    case "prefix-not-address":
      return `expected an address, not a prefix; remove ${rest}`;
    default:
      return position < value.length
        ? `the character ${quoted(value.charAt(position))} is not valid in an address`
        : "the address ends too early";
  }
}

function withoutLeadingZeros(value: string): string {
  return value.slice(0, 64).replace(/(^|[.:])0+(?=[0-9])/g, "$1");
}

/**
 * 10.1 is what inet_aton reads as 10.0.0.1: the last number fills the remaining bytes. With a length it is a cut-off
 * prefix instead.
 */
function asShorthand(value: string): string {
  const parts = /^([0-9]{1,3}(?:\.[0-9]{1,3}){0,2})(\/[0-9]+)?$/.exec(value.slice(0, 64));
  if (parts === null) return "; write all four";
  const octets = parts[1]!.split(".");
  const missing = Array<string>(4 - octets.length).fill("0");
  const network = [...octets, ...missing].join(".");
  if (parts[2] !== undefined) return `; ${parts[0]} is shorthand: write ${network}${parts[2]}`;
  const address = [...octets.slice(0, -1), ...missing, ...octets.slice(-1)].join(".");
  if (octets.length === 1) return `; ${parts[0]} is shorthand: write ${address}`;
  return `; ${parts[0]} is shorthand: write ${address} for one address, or ${network}/${8 * octets.length} for the network`;
}

function asWholeNumber(value: string): string {
  const number = /^[0-9]{4,10}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= 0xffffffff)) return "";
  const octets = [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255];
  return `; as a whole number it would be ${octets.join(".")}: write that`;
}
