import type { PrefixTable } from "../../table/prefix-table.ts";
import { PURPOSES, type Purpose } from "../ruleset.ts";
import { RulesetError } from "../ruleset-error.ts";
import { checkRuleName } from "../validate-rule.ts";

const MAX_ID = 255;

/** Which ruleset of which database the rules of a file come from, for a service that continues from there. */
interface RulesetOrigin {
  readonly rulesetId: string;
  /**
   * The last change of the database that the rules contain: its number, and the random id of the transaction that wrote
   * it. Only this database has that change, and copies that were made since; a database that is restored from an older
   * backup gives the number to another transaction. `schema`: that of the database at that time.
   */
  readonly mark: { readonly schema: number; readonly sequence: number; readonly transaction: string };
}

/** What is stored about a ruleset besides its rules. */
export interface StoredAbout {
  readonly name: string;
  readonly purpose: Purpose;
  /** See `PrefixPolicy`. */
  readonly allowSpecialPurpose: boolean;
  /**
   * See `Ruleset.sequence`; for rules that have an origin, the number of a change of the database: the rules include
   * all changes up to it.
   */
  readonly sequence: number;
  readonly origin?: RulesetOrigin;
}

/**
 * The contents of a snapshot of the kind "ruleset" besides its table. Rules are numbered in the order of prefixes, IPv4
 * first, from 1 on; a rule's number is its match id in the table, and its value id. The table has its length and
 * expiry:
 *
 *     table      matchLength[n], expiresAt[n] (no section: none expires), matchParent[n]
 *     columns    words of the prefix; number of the name; numbers of the moments of creation and update
 *
 * Columns are arrays of little-endian numbers, without an element for 0.
 */
export interface RulesetMetadata extends StoredAbout {
  readonly format: 1;
  /** The words of the prefixes: one (IPv4) or four (IPv6) of 32 bits a rule. */
  readonly words4: Uint8Array;
  readonly words6: Uint8Array;
  /**
   * See `PackedNames`; `numbers` takes as few bytes per rule as possible: none where no rule has a name, else 1, 2 or
   * 4.
   */
  readonly names: { readonly text: Uint8Array; readonly ends: Uint8Array; readonly numbers: Uint8Array };
  /**
   * The distinct moments of creation and update, ascending, in milliseconds since 1970 (64-bit floats); and which of
   * them each rule has, from 0, in as few bytes as possible: none for one moment, else 1, 2 or 4.
   */
  readonly times: { readonly moments: Uint8Array; readonly created: Uint8Array; readonly updated: Uint8Array };
}

/** What a snapshot of a ruleset is written from. */
export interface StoredRuleset {
  readonly table: PrefixTable;
  readonly metadata: RulesetMetadata;
}

/** The metadata of a file, of which names and times are not read yet. @throws RulesetError */
export function checkedMetadata(metadata: unknown): RulesetMetadata {
  const member = (of: unknown, name: string): Record<string, unknown> => {
    if (typeof of === "object" && of !== null && !Array.isArray(of)) return of as Record<string, unknown>;
    throw badMetadata(name, "it must be an object");
  };
  const stored = member(metadata, "metadata");
  if (stored["format"] !== 1)
    throw badMetadata("format", "it is not 1; this file comes from a newer version, which can read it");
  const { name, purpose, allowSpecialPurpose, sequence } = stored;
  if (typeof name !== "string") throw badMetadata("name", "it is not text");
  checkName(name);
  if (!PURPOSES.some((one) => one === purpose)) throw badMetadata("purpose", `it is not ${PURPOSES.join(" or ")}`);
  if (typeof allowSpecialPurpose !== "boolean") throw badMetadata("allowSpecialPurpose", "it is not true or false");
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 0)
    throw badMetadata("sequence", "it is not a whole number from 0 on");
  member(stored["names"], "names");
  member(stored["times"], "times");
  checkOrigin(stored["origin"], sequence as number);
  return stored as unknown as RulesetMetadata;
}

/** @throws RulesetError */
export function checkOrigin(origin: unknown, sequence: number): void {
  if (origin === undefined) return;
  const { rulesetId, mark } = (origin ?? {}) as Partial<RulesetOrigin>;
  const { schema, transaction, ...last } = (mark ?? {}) as Partial<RulesetOrigin["mark"]>;
  for (const [name, id] of Object.entries({ rulesetId, transaction }))
    if (typeof id !== "string" || id === "" || id.length > MAX_ID)
      throw badMetadata("origin", `its ${name} is not a text of 1 to ${MAX_ID} characters`);
  for (const [name, number, least] of [
    ["schema", schema, 0],
    ["sequence", last.sequence, sequence],
  ] as const)
    if (!Number.isSafeInteger(number) || number! < least)
      throw badMetadata("origin", `its ${name} is not a whole number from ${least} on`);
}

/** A name of the file. @throws RulesetError */
export function checkName(name: string): void {
  try {
    checkRuleName(name);
  } catch (error) {
    throw badRules("names", (error as Error).message);
  }
}

export interface Numbers<Of> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Of;
}

/** The numbers in some bytes; there must be `count` of them. @throws RulesetError */
export function array<Of>(type: Numbers<Of>, member: string, bytes: unknown, count: number | undefined): Of {
  const size = type.BYTES_PER_ELEMENT;
  const checked = bytesOf(member, bytes, count === undefined ? undefined : count * size);
  if (checked.length % size !== 0) throw badRules(member, `a column has ${checked.length} bytes`);
  // If the bytes are not aligned for the numbers, they are copied.
  const aligned = checked.byteOffset % size === 0 ? checked : new Uint8Array(checked);
  return new type(aligned.buffer, aligned.byteOffset, checked.length / size);
}

/** The bytes of a column; there must be `count` of them if it is given. @throws RulesetError */
export function bytesOf(member: string, bytes: unknown, count: number | undefined): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw badMetadata(member, "a column is not bytes");
  if (count !== undefined && bytes.length !== count)
    throw badRules(member, `a column has ${bytes.length} bytes in place of ${count}`);
  return bytes;
}

/** The error of metadata that is not that of a ruleset. */
export function badMetadata(member: string, what: string): RulesetError {
  return new RulesetError("bad-metadata", member, what);
}

/** The error of rules that contradict each other. */
export function badRules(member: string, what: string): RulesetError {
  return new RulesetError("bad-rules", member, what);
}
