import { allocateForMatcher, Matcher } from "../../batch/matcher.ts";
import type { RuleEngine } from "../../rulesets/rule-engine.ts";

/** Bytes of a table that stay in the second-level cache: there the table itself is as fast, and takes no memory more. */
const SMALL = 1 << 20;

/** Looks up batches in the tables of large rulesets by the native kernel, where the platform has one. */
export const KERNEL_ENGINE: RuleEngine = {
  allocate: (byteLength) => (byteLength <= SMALL ? new ArrayBuffer(byteLength) : allocateForMatcher(byteLength)),
  batchesOver: (table) => (table.buffer.byteLength <= SMALL ? table : new Matcher(table)),
};
