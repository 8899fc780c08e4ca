import type { Arguments } from "../runner/command.ts";

/** Where options say which datasets are meant: `snapshot`, `threats` and `networks`. */
export type DatasetOptions = Pick<Arguments, "value">;
