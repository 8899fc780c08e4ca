import type { Address, Prefix } from "../address/address.ts";
import { AddressError } from "../address/address-error.ts";
import { parseAddress } from "../address/parse-address.ts";
import { parsePrefix } from "../address/prefix.ts";
import { invalid } from "./problem.ts";

/** The prefix in a field of a request. @throws Problem (400) about the field */
export function readPrefix(text: string, field = "ip"): Prefix {
  return withField(field, () => parsePrefix(text));
}

/** @throws Problem (400) about the field */
export function readAddress(text: string, field = "ip"): Address {
  return withField(field, () => parseAddress(text));
}

/** Runs what reads a field of a request. @throws Problem (400) about the field, in place of AddressError */
export function withField<Value>(field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof AddressError) throw invalid({ [field]: [error.message] });
    throw error;
  }
}

/** Each text once, with its prefix. @throws Problem (400) that names every bad one by its index in `field` */
export function readPrefixes(texts: readonly string[], field = "ips"): Map<string, Prefix> {
  const prefixes = new Map<string, Prefix>();
  const faults: Record<string, string[]> = {};
  for (const [index, text] of texts.entries()) {
    try {
      prefixes.set(text, parsePrefix(text));
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      faults[`${field}[${index}]`] = [error.message];
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return prefixes;
}
