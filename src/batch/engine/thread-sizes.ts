/**
 * Shards that a thread has at a time: one that is processed, one that is being read or waits. Each has an input buffer.
 */
export const INPUT_BUFFERS = 2;
/** The areas for row templates of all threads, two each, must leave room for others in a memory of 4 GiB. */
export const ALL_TEMPLATE_BYTES = 1024 * 1024 * 1024;
/**
 * Extra bytes at the end of every buffer: for the LF that a last line may lack, for reading ahead and for copying past
 * the end.
 */
export const SLACK = 128;
/**
 * Files are read from multiples of this, into buffers that begin at one: between addresses of different alignment, the
 * system takes five times as long to copy (381 MB in 160 ms instead of 30).
 */
export const ALIGNMENT = 64;
