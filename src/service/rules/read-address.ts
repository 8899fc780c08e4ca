import type { Address, Prefix } from "../../address/address.ts";
import { AddressError } from "../../address/address-error.ts";
import { parseAddress } from "../../address/parse-address.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { invalid } from "../service-error.ts";

/** The prefix in a field of a request. @throws ServiceError "invalid" about the field */
export function readPrefix(text: string, field = "ip"): Prefix {
  return withField(field, () => parsePrefix(text));
}

/** @throws ServiceError "invalid" about the field */
export function readAddress(text: string, field = "ip"): Address {
  return withField(field, () => parseAddress(text));
}

/** Runs what reads a field of a request. @throws ServiceError "invalid" about the field, in place of AddressError */
export function withField<Value>(field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof AddressError) throw invalid({ [field]: [error.message] });
    throw error;
  }
}

/** Bad addresses of a list that are named. */
const MAX_NAMED = 200;

/**
 * Each text once, with its prefix.
 * @throws ServiceError "invalid" that names the first bad ones by their index in `field`: an error takes as long as a hundred
 * good texts, so that others are not looked for
 */
export function readPrefixes(texts: readonly string[], field = "ips"): Map<string, Prefix> {
  const prefixes = new Map<string, Prefix>();
  const errors: Record<string, string[]> = {};
  let count = 0;
  for (const [index, text] of texts.entries()) {
    try {
      prefixes.set(text, parsePrefix(text));
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      if (count++ === MAX_NAMED) break;
      errors[`${field}[${index}]`] = [error.message];
    }
  }
  if (count > MAX_NAMED)
    errors[field] = [`more than ${MAX_NAMED} addresses are malformed; the first ${MAX_NAMED} are named`];
  if (count > 0) throw invalid(errors);
  return prefixes;
}
