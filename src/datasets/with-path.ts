import { CatalogueError } from "../cbs/catalogue-error.ts";
import { CtiError } from "../cti/cti-error.ts";
import { NetworksError } from "../networks/networks-error.ts";
import { RulesetError } from "../rulesets/ruleset-error.ts";
import { DatasetError } from "./dataset-error.ts";

const CONTENT_ERRORS = [CatalogueError, CtiError, NetworksError, RulesetError];

/**
 * Runs a function that reads a catalogue, a dataset or a ruleset; its errors become DatasetErrors that name the file.
 */
export function withPath<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const isContent = CONTENT_ERRORS.some((content) => error instanceof content);
    throw isContent ? new DatasetError("unusable", path, (error as Error).message) : error;
  }
}
