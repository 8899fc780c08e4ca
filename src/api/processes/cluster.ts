import type { Cluster } from "node:cluster";

/** Node's module, loaded only if there are several processes; as one object, because its settings are assigned. */
export function cluster(): Cluster {
  return process.getBuiltinModule("node:cluster") as unknown as Cluster;
}
