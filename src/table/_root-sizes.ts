/** The root sizes that freeze chooses from: 1 KiB for a handful of prefixes, 256 KiB for a routing table. */
export const ROOT_BITS_4 = [8, 12, 16] as const;
export const ROOT_BITS_6 = [8, 16] as const;
