import type { Prefix } from "../../address/address.ts";
import { AddressError } from "../../address/address-error.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { AddressBatch } from "../address-batch.ts";
import { invalid } from "../service-error.ts";

/** The prefix in a field of a request. @throws ServiceError "invalid" about the field */
export function readPrefix(text: string, field = "ip"): Prefix {
  return withField(field, () => parsePrefix(text));
}

/** Runs what reads a field of a request. @throws ServiceError "invalid" about the field instead of AddressError */
export function withField<Value>(field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof AddressError) throw invalid({ [field]: [error.message] });
    throw error;
  }
}

/** Maximum invalid addresses of a list that are named. */
const MAX_NAMED = 200;

/**
 * The addresses and prefixes of a list, each text once unless `isDistinct` is false.
 * @throws ServiceError "invalid" that names the first invalid ones by their index in `field`: an error takes as long as
 * a hundred valid texts, so the search ends there
 */
export function readAddresses(
  texts: readonly string[],
  { field = "ips", isDistinct = true }: { readonly field?: string; readonly isDistinct?: boolean } = {},
): AddressBatch {
  const errors: Record<string, string[]> = {};
  let count = 0;
  const onMalformed = (index: number, error: AddressError): boolean => {
    if (count++ === MAX_NAMED) return false;
    errors[`${field}[${index}]`] = [error.message];
    return true;
  };
  const batch = new AddressBatch(texts, onMalformed, { isDistinct });
  if (count > MAX_NAMED)
    errors[field] = [`more than ${MAX_NAMED} addresses are malformed; the first ${MAX_NAMED} are named`];
  if (count > 0) throw invalid(errors);
  return batch;
}
