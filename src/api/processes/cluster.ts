import type { Cluster } from "node:cluster";

/** Node's own: not loaded before it is needed, and as a whole, since its settings are assigned. */
export function cluster(): Cluster {
  return process.getBuiltinModule("node:cluster") as unknown as Cluster;
}
