import { AddressError, quoted } from "./address-error.ts";
import type { AddressErrorCode } from "./address-error.ts";

/**
 * Builds the error for a parse of `value` that failed at `position`: names the fault as exactly as the text allows, and
 * its cure.
 */
export function explain(code: AddressErrorCode, value: string, position: number): AddressError {
  const exact = code === "unexpected-character" ? nameCharacter(value, position) : code;
  return new AddressError(exact, value, position, problem(exact, value, position));
}

/** The well-known habits behind a character that has no place in an address. */
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
      return "there is no address; write one like 192.0.2.1 or 2001:db8::1";
    case "octet-missing":
      return "an octet is missing; write four numbers 0-255 with single dots between them";
    case "octet-leading-zero":
      return `the octet ${number} has a leading zero, which some programs read as octal; did you mean ${withoutLeadingZeros(value)}?`;
    case "octet-out-of-range":
      return `the octet ${number} is above 255${asWholeNumber(value)}`;
    case "too-few-octets":
      return `an IPv4 address has four octets${asShorthand(value)}`;
    case "too-many-octets":
      return "an IPv4 address has four octets; drop what follows the fourth";
    case "group-too-long":
      return "a group has at most four hexadecimal digits; is a colon missing?";
    case "too-few-groups":
      return "an IPv6 address has eight groups; write the missing ones or :: for a run of zeros";
    case "too-many-groups":
      return "an IPv6 address has eight groups, a :: stands for at least one of them, and an embedded IPv4 address for two; drop the surplus";
    case "lone-colon":
      return "a single colon can neither begin nor end an address; write :: for zeros, or drop it";
    case "second-gap":
      return "only one :: can stand in an address; write the zeros of the other as 0 groups";
    case "not-ascii":
      return `the character ${quoted(value.slice(position, position + 1))} is not ASCII; type the digits, dots and colons anew`;
    case "whitespace":
      return "there is white space; remove it";
    case "zone-id":
      return `a zone id is no part of an address; drop the zone id ${rest}`;
    case "brackets":
      return "brackets belong to URLs; drop the brackets";
    case "port":
      return `a port is no part of an address; drop ${rest}`;
    case "prefix-not-address":
      return `a prefix stands where an address is expected; drop ${rest}`;
    default:
      return position < value.length
        ? `the character ${quoted(value.charAt(position))} has no place in an address`
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
  const full =
    parts[2] === undefined ? [...octets.slice(0, -1), ...missing, ...octets.slice(-1)] : [...octets, ...missing];
  return `; ${parts[0]} is shorthand: write ${full.join(".")}${parts[2] ?? ""}`;
}

function asWholeNumber(value: string): string {
  const number = /^[0-9]{4,10}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= 0xffffffff)) return "";
  const octets = [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255];
  return `; as a whole number it would be ${octets.join(".")}: write that`;
}
