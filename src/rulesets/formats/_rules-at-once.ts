/**
 * Rules that an exporter reads before it gives an empty part, where it has nothing to give yet: about a millisecond.
 */
export const RULES_AT_ONCE = 1000;
