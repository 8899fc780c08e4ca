/** Shards a thread has at a time: one that it works on, one that is being read or waits. Each has an input buffer. */
export const INPUT_BUFFERS = 2;
/**
 * When a thread's row templates take more than this, all are forgotten and made anew: memory must not grow with the
 * catalogue.
 */
export const TEMPLATE_BYTES = 16 * 1024 * 1024;
/**
 * Room after the data of every buffer: for the LF that ends a last line without one, for looking ahead and copying
 * over.
 */
export const SLACK = 128;
