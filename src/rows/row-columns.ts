/**
 * The columns of a row of the formats tsv and csv, in the order in which templates fill them. Their header is written
 * where a log has one (batch), and a row where a match has one (cbs).
 */
export const ROW_COLUMNS = ["ip", "cidr", "cbs_ids"] as const;

/** What `append` adds to a line: the last of them. */
export const APPENDED_COLUMN = ROW_COLUMNS[2];
