import { allocateForMatcher, Matcher } from "../../batch/engine/matcher.ts";
import type { RuleEngine } from "../../rulesets/index/rule-engine.ts";

/**
 * Tables of up to this many bytes stay in the second-level cache, where the table itself is as fast as the kernel and
 * takes no extra memory.
 */
const SMALL = 1 << 20;

/** Looks up batches in the tables of large rulesets by the native kernel, where the platform has one. */
export const KERNEL_ENGINE: RuleEngine = {
  allocate: (byteLength) => (byteLength <= SMALL ? new ArrayBuffer(byteLength) : allocateForMatcher(byteLength)),
  batchesOver: (table) => (table.buffer.byteLength <= SMALL ? table : new Matcher(table)),
};
