import { AddressError } from "../../address/address-error.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { readOperands } from "./read-operands.ts";
import { reportError } from "../runner/report-error.ts";

/**
 * The addresses and prefixes of operands, "-" included, as written. Anything else is reported with its location,
 * skipped, and passed to `onError`.
 */
export async function* readPrefixes(operands: readonly string[], onError: () => void): AsyncGenerator<string> {
  for await (const { text, location, error: lineError } of readOperands(operands)) {
    try {
      if (lineError !== undefined) throw lineError;
      parsePrefix(text);
    } catch (error) {
      if (!(error instanceof AddressError) && error !== lineError) throw error;
      reportError(error, location);
      onError();
      continue;
    }
    yield text;
  }
}
