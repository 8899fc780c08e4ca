/**
 * The root sizes that freeze chooses from: a few words for a handful of prefixes, 1 MiB and 256 KiB for a routing
 * table. In IPv6 they are multiples of 16, as all depths are.
 */
export const ROOT_BITS_4 = [8, 12, 16, 18] as const;
export const ROOT_BITS_6 = [0, 16] as const;
