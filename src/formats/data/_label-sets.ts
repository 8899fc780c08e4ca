import type { Label } from "../entry.ts";

/** The values of labels, by property, each sorted and without duplicates. */
export interface LabelSets {
  readonly cbs_ids: readonly string[];
  readonly labels: readonly string[];
  readonly providers: readonly string[];
  readonly types: readonly string[];
  readonly services: readonly string[];
  readonly regions: readonly string[];
}

/** The members of `LabelSets`, in their order. */
export const MEMBERS = ["cbs_ids", "labels", "providers", "types", "services", "regions"] as const;

export function setsOf(labels: readonly Label[]): LabelSets {
  return {
    cbs_ids: distinct(labels, ({ id }) => id),
    labels: distinct(labels, ({ label }) => label),
    providers: distinct(labels, ({ provider }) => provider),
    types: distinct(labels, ({ type }) => type),
    services: distinct(labels, ({ service }) => service),
    regions: distinct(labels, ({ region }) => region),
  };
}

/** In the order of code units, which is the same everywhere. */
function distinct(labels: readonly Label[], of: (label: Label) => string | null): string[] {
  return [...new Set(labels.map(of).filter((text): text is string => text !== null && text !== ""))].sort();
}
