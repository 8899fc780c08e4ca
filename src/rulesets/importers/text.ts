import { readListLine } from "../../reading/list-line.ts";
import { ListLineError } from "../../reading/list-error.ts";
import { LineProblem, type LineReader } from "./imported-rule.ts";

/** Addresses, prefixes and ranges, as in every list. */
export function textLines(): LineReader {
  return (line, isCut) => {
    try {
      const read = isCut === true ? readListLine(line, { isCut }) : readListLine(line);
      return read === undefined ? null : { ip: read.entries, name: undefined, expiresAt: undefined };
    } catch (error) {
      throw error instanceof ListLineError ? new LineProblem(error.at, error.value, error.problem) : error;
    }
  };
}
