import { finished } from "../../turns/finished.ts";
import { CtiError } from "../cti-error.ts";
import type { CtiDataset } from "../dataset.ts";
import { buildingIndex } from "./build-index.ts";

/** Deep check: the index of a dataset, if it has one, is the one of its documents. As long as building it. @throws CtiError */
export function checkIndex(dataset: CtiDataset): void {
  const stored: unknown = dataset.metadata.index;
  if (stored === undefined) return;
  const path = firstDifference(stored, finished(buildingIndex(dataset)), "index");
  if (path !== undefined)
    throw new CtiError(
      "bad-metadata",
      "index",
      `the dataset's ${path} is not that of its documents; import its feeds again`,
    );
}

/** Where two objects of bytes differ. */
function firstDifference(stored: unknown, expected: unknown, path: string): string | undefined {
  if (expected instanceof Uint8Array)
    return stored instanceof Uint8Array && areSame(stored, expected) ? undefined : path;
  if (typeof expected !== "object" || expected === null) return stored === expected ? undefined : path;
  if (typeof stored !== "object" || stored === null) return path;
  for (const [name, value] of Object.entries(expected)) {
    const found = firstDifference((stored as Record<string, unknown>)[name], value, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function areSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
