import type { Label } from "./entry.ts";

/** Caches what is made from labels by their array: lists have few arrays of labels, and many prefixes with each. */
export function perLabels<Made>(make: (labels: readonly Label[]) => Made): (labels: readonly Label[]) => Made {
  const known = new Map<readonly Label[], Made>();
  return (labels) => {
    let made = known.get(labels);
    if (made === undefined) known.set(labels, (made = make(labels)));
    return made;
  };
}
