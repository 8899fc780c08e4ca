/**
 * Shards that a thread has at a time: one that is processed, one that is being read or waits. Each has an input buffer.
 */
export const INPUT_BUFFERS = 2;
/**
 * When a thread's row templates take more than this, all are forgotten and made again: memory must not grow with the
 * catalogue.
 */
export const TEMPLATE_BYTES = 16 * 1024 * 1024;
/**
 * Extra bytes at the end of every buffer: for the LF that a last line may lack, for reading ahead and for copying past
 * the end.
 */
export const SLACK = 128;
