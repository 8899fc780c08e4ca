import type { Prefix } from "../../address/address.ts";
import { AddressError, quoted } from "../../address/address-error.ts";
import { formatPrefix, parsePrefix, prefixContains } from "../../address/prefix.ts";
import { specialPurpose } from "../../address/special-purpose.ts";
import { type ListEntry, readEntry } from "../../reading/list-entry.ts";
import { ListLineError } from "../../reading/list-error.ts";
import { ImportError } from "./import-error.ts";

/** A service or a region: one segment of a node id, and its name for people. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Where in its provider's tree a prefix belongs. Both null: to the provider itself. */
export interface Place {
  readonly service: Named | null;
  readonly region: Named | null;
}

/** One entry of the publisher's list, repeats included: a prefix with every place that the list names for it. */
export interface ImportedEntry {
  readonly prefix: Prefix;
  readonly places: readonly Place[];
}

/** The code of an `ImportWarning`, for counting and filtering. */
export type ImportWarningCode =
  /** Bits after the prefix length were set, and are cleared. */
  | "host-bits"
  /** The same prefix was listed in the same place before. */
  | "repeat"
  /** A location that cannot be read: the prefix counts without it. */
  | "location"
  /** A member that this importer does not know; it holds no prefixes that it could read. */
  | "unknown-member"
  /** Prefixes that are not addresses of the internet, left out. */
  | "left-out"
  /** A time of publication that cannot be read. */
  | "time";

/** Something in a publisher's list that an importer skipped or corrected: the list is still imported. */
export interface ImportWarning {
  readonly code: ImportWarningCode;
  /** As in `ImportError`. */
  readonly position: string;
  readonly message: string;
}

/** The result of importing a publisher's list. */
export interface ImportedList {
  /** In the order of the list. */
  readonly entries: readonly ImportedEntry[];
  /** When the list was made, as the publisher states it (ISO 8601, UTC); null if the list does not say. */
  readonly publishedAt: string | null;
  /** The publisher's own number for this edition; null if there is none. */
  readonly version: string | null;
  /** The first hundred of each kind. */
  readonly warnings: readonly ImportWarning[];
  /** How many there were of each kind. */
  readonly warningCounts: Readonly<Partial<Record<ImportWarningCode, number>>>;
}

/** Turns the text of a list into its entries. Pure. @throws ImportError for a list that is malformed anywhere */
export type Importer = (text: string) => ImportedList;

const MAX_WARNINGS = 100;

/** Collects the entries of one list. */
export class ListBuilder {
  publishedAt: string | null = null;
  version: string | null = null;
  readonly #entries: ImportedEntry[] = [];
  readonly #warnings: ImportWarning[] = [];
  readonly #counts: Partial<Record<ImportWarningCode, number>> = {};
  readonly #withoutPrivate: boolean;
  /** By place: the prefixes seen there, as written. */
  readonly #seen = new Map<Place, Set<string>>();

  /** `withoutPrivate`: addresses for private use are left out, and reported. */
  constructor({ withoutPrivate = false }: { readonly withoutPrivate?: boolean | undefined } = {}) {
    this.#withoutPrivate = withoutPrivate;
  }

  /**
   * Adds a prefix or a bare address. `family` is the one that the format promises at this position.
   * @throws ImportError "bad-shape", "bad-prefix"
   */
  add(text: unknown, position: string, places: readonly Place[] = NOWHERE, family?: 4 | 6): void {
    if (typeof text !== "string")
      throw new ImportError("bad-shape", position, `expected a prefix as a string, not ${describeValue(text)}`);
    const prefix = this.#parse(text, position);
    if (family !== undefined && prefix.family !== family) {
      throw new ImportError(
        "bad-prefix",
        position,
        `${quoted(text)} is not an IPv${family} prefix, as this member requires`,
      );
    }
    this.#push(prefix, text, position, places);
  }

  /** Adds a prefix, a bare address or a range `first-last`. @throws ImportError "bad-prefix" */
  addRange(text: string, position: string, places: readonly Place[] = NOWHERE): void {
    this.addEntry(readEntryAt(text, position), position, places);
  }

  /** Adds an entry that has been read. @throws ImportError "bad-prefix" */
  addEntry({ text, prefixes, isMasked }: ListEntry, position: string, places: readonly Place[]): void {
    if (isMasked) this.#warnHostBits(text, prefixes[0]!, position);
    for (const prefix of prefixes)
      this.#push(prefix, prefixes.length === 1 ? text : formatPrefix(prefix), position, places);
  }

  warn(code: ImportWarningCode, position: string, message: string): void {
    const count = (this.#counts[code] = (this.#counts[code] ?? 0) + 1);
    if (count <= MAX_WARNINGS) this.#warnings.push({ code, position, message: `${position}: ${message}` });
  }

  /** When the list was made, as the publisher writes it. Without a zone it is UTC, as all publishers mean it. */
  publish(text: unknown, position: string): void {
    if (text === undefined || text === null || text === "") return;
    const time = typeof text === "string" ? utcTime(text) : null;
    if (time === null) this.warn("time", position, `${describeValue(text)} is not a time`);
    this.publishedAt = time;
  }

  /** @throws ImportError "empty" */
  build(): ImportedList {
    if (this.#entries.length === 0)
      throw new ImportError("empty", "line 1", "the list contains no prefixes; is it the right file?");
    return {
      entries: this.#entries,
      publishedAt: this.publishedAt,
      version: this.version === null ? null : oneLine(this.version).slice(0, MAX_CODE_LENGTH),
      warnings: this.#warnings,
      warningCounts: this.#counts,
    };
  }

  #parse(text: string, position: string): Prefix {
    try {
      return parsePrefix(text);
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      if (error.code !== "host-bits-set")
        throw new ImportError("bad-prefix", position, error.message, { cause: error });
    }
    const prefix = parsePrefix(text, "mask");
    this.#warnHostBits(text, prefix, position);
    return prefix;
  }

  #warnHostBits(text: string, prefix: Prefix, position: string): void {
    this.warn("host-bits", position, `${quoted(text)} has host bits set; it is read as ${formatPrefix(prefix)}`);
  }

  /**
   * `text` identifies repeats, which publishers do not spell differently; the catalogue unites what is the same in any
   * case.
   */
  #push(prefix: Prefix, text: string, position: string, places: readonly Place[]): void {
    if (prefix.length === 0)
      throw new ImportError(
        "bad-prefix",
        position,
        `${quoted(text)} covers every address; not all of them are the publisher's`,
      );
    if (this.#withoutPrivate && isPrivate(prefix))
      return this.warn("left-out", position, `${formatPrefix(prefix)} is for private use and is left out`);
    this.#entries.push({ prefix, places });
    let isRepeat = true;
    for (const place of places) {
      let seen = this.#seen.get(place);
      if (seen === undefined) this.#seen.set(place, (seen = new Set()));
      const { size } = seen;
      if (seen.add(text).size > size) isRepeat = false;
    }
    if (isRepeat) this.warn("repeat", position, `${text} is a duplicate with the same service and region`);
  }
}

/** The place of a list that says nothing about its prefixes. */
export const PROVIDER_ITSELF: Place = { service: null, region: null };
const NOWHERE: readonly Place[] = [PROVIDER_ITSELF];

/** RFC 1918. What only contains such addresses is not private. */
function isPrivate(prefix: Prefix): boolean {
  const special = specialPurpose(prefix);
  return special?.name === "Private-Use" && prefixContains(special.prefix, prefix);
}

/** The longest code of any publisher has about 50 characters. */
const MAX_CODE_LENGTH = 200;

/** Makes the places of one list, each once, so that what belongs together is the same object. */
export class Places {
  /** By the codes, as written, and by the ids: spellings of one place are one object. */
  readonly #byCodes = new Map<string, readonly [Place]>();
  readonly #byIds = new Map<string, readonly [Place]>();
  readonly #services = new Map<string, Named>();
  readonly #regions = new Map<string, Named>();

  /**
   * The place of a service and a region, given by their codes, where null or empty means none; names default to the
   * codes.
   */
  of(service: NameLike, region: NameLike, position: string): readonly [Place] {
    const codes = `${codeOf(service)}\n${codeOf(region)}`;
    const known = this.#byCodes.get(codes);
    if (known !== undefined) return known;
    const place: Place = {
      service: this.#name(this.#services, service, position),
      region: isNoRegion(region) ? null : this.#name(this.#regions, region, position),
    };
    const ids = `${place.service?.id ?? ""}\n${place.region?.id ?? ""}`;
    const same = this.#byIds.get(ids) ?? ([place] as const);
    this.#byIds.set(ids, same);
    this.#byCodes.set(codes, same);
    return same;
  }

  #name(names: Map<string, Named>, name: NameLike, position: string): Named | null {
    const code = codeOf(name);
    if (code === "") return null;
    if (code.length > MAX_CODE_LENGTH)
      throw new ImportError("bad-name", position, `${quoted(code)} is too long for the name of a service or region`);
    const id = segmentOf(code);
    if (id === "")
      throw new ImportError("bad-name", position, `${quoted(code)} contains no letter or digit for a node id`);
    const known = names.get(id);
    if (known !== undefined) return known;
    const named = { id, name: oneLine(typeof name === "object" && name !== null ? name.name : code) || id };
    names.set(id, named);
    return named;
  }
}

/** A code of the publisher, or a code with a name; null or "" for none. */
export type NameLike = string | Named | null;

function codeOf(name: NameLike): string {
  return name === null ? "" : typeof name === "string" ? name : name.id;
}

/** Publishers use "global" for what belongs to no region. */
function isNoRegion(region: NameLike): boolean {
  return codeOf(region).toLowerCase() === "global";
}

/**
 * The segment of a node id for a publisher's code, so that the id depends on nothing else: lower case, without accents,
 * and `-` for whatever is not a letter, a digit, `_` or `.`; "Washington, DC, USA" is washington-dc-usa, "EC2" is ec2.
 */
export function segmentOf(code: string): string {
  return code
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9_.]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
}

/** Names and versions are one line of text, written in the direction of what stands around it. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what it looks for
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, " ").trim();
}

function readEntryAt(text: string, position: string): ListEntry {
  try {
    return readEntry(text, 0, "mask");
  } catch (error) {
    if (!(error instanceof ListLineError)) throw error;
    const problem = `${quoted(text)} at position ${error.at}: ${error.problem}`;
    throw new ImportError("bad-prefix", position, problem, { cause: error });
  }
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T -](\d\d)[:-](\d\d)(?:[:-](\d\d)(\.\d{1,9})?)?)? ?(Z|UTC|[+-]\d\d:?\d\d)?$/;

/** `2026-08-22-21-17-05`, `2026-08-20T14:46:45.000000`, `2026-01-29`; null for anything else. */
function utcTime(text: string): string | null {
  const [, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = TIME.exec(text) ?? [];
  const time = new Date(
    `${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${zone.replace("UTC", "Z").replace(/^(...)(\d\d)$/, "$1:$2")}`,
  );
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** What a JSON value is, for an error. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? quoted(value) : String(value);
}
