import type { SectionName } from "./sections.ts";

/** The code of a `TableError`: what in the table is corrupt. */
export type TableErrorCode = "bad-layout" | "bad-node" | "bad-match" | "bad-values" | "bad-count";

/** A table whose bytes are not what `freeze` writes. `section` says where; to fix it, build the table again. */
export class TableError extends Error {
  override readonly name = "TableError";
  readonly code: TableErrorCode;
  readonly section: SectionName;

  constructor(code: TableErrorCode, section: SectionName, what: string) {
    super(`corrupt table, section ${section}: ${what}; build it again from its source`);
    this.code = code;
    this.section = section;
  }
}
