import { AddressError } from "../address/address-error.ts";
import { parsePrefix } from "../address/prefix.ts";
import { readOperands } from "./read-operands.ts";
import { reportError } from "./report-error.ts";

/**
 * The addresses and prefixes of operands, "-" included, as they were written. What is none is reported with its place
 * and left out, and `onError` is told.
 */
export async function* readPrefixes(operands: readonly string[], onError: () => void): AsyncGenerator<string> {
  for await (const { text, place } of readOperands(operands)) {
    try {
      parsePrefix(text);
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      reportError(error, place);
      onError();
      continue;
    }
    yield text;
  }
}
