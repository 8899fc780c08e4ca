/** The reader of a pipe has gone. */
export class OutputClosed extends Error {}
