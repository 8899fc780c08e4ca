import type { Label } from "./entry.ts";

/** What is made of labels, made once for each array of them: lists have few, and many prefixes with each. */
export function perLabels<Made>(make: (labels: readonly Label[]) => Made): (labels: readonly Label[]) => Made {
  const known = new Map<readonly Label[], Made>();
  return (labels) => {
    let made = known.get(labels);
    if (made === undefined) known.set(labels, (made = make(labels)));
    return made;
  };
}
