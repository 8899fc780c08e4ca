/**
 * The columns of a row of the formats tsv and csv, in the order in which templates fill them. The room `batch` writes
 * their header, and `cbs` their rows.
 */
export const ROW_COLUMNS = ["ip", "cidr", "cbs_ids"] as const;

/** What `append` adds to a line: the last of them. */
export const APPENDED_COLUMN = ROW_COLUMNS[2];
