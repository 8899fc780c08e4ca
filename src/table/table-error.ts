import type { SectionName } from "./sections.ts";

/** The code of a `TableError`: what in the table is corrupt, or that another version of this program made it. */
export type TableErrorCode =
  | "unsupported-layout"
  | "bad-layout"
  | "bad-node"
  | "bad-match"
  | "bad-values"
  | "bad-count";

const CURE = "; build it again from its source";

/** A table whose bytes are not what `freeze` writes. `section` says where; to fix it, build the table again. */
export class TableError extends Error {
  override readonly name = "TableError";
  readonly code: TableErrorCode;
  readonly section: SectionName;

  constructor(code: TableErrorCode, section: SectionName, what: string) {
    super(
      (code === "unsupported-layout" ? `table layout ${what}` : `corrupt table, section ${section}: ${what}`) + CURE,
    );
    this.code = code;
    this.section = section;
  }

  /** The message without the cure. */
  get problem(): string {
    return this.message.slice(0, -CURE.length);
  }
}
