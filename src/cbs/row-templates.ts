import { ADDRESS_HOLE, HOLE, OWN_PREFIX_HOLE } from "../rows/holes.ts";
import type { RowTexts } from "../rows/row-texts.ts";
import type { TemplateFormat } from "../rows/row-format.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import type { NodeIds } from "./_node-ids.ts";
import type { Catalogue } from "./catalogue.ts";
import { JsonRows } from "./_json-rows.ts";
import { ownLength, rowTemplate } from "./row-template.ts";
import type { MatchId } from "../table/match-id.ts";

const TAB = 0x09;
const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
/**
 * What ids mostly begin with. Whether a cell with any other first byte is a formula to a spreadsheet is left to the
 * general way.
 */
const SLASH = 0x2f;
const isPlain = (byte: number): boolean =>
  byte === SLASH || (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
/** Matches of more nodes than this are left to the general way. */
const MAX_NODES = 64;

/** Returns the template of a match's row; `own` is the hole for the match's own prefix. Good until the next call. */
type Write = (match: MatchId, own: number) => Uint8Array;

/**
 * Templates of the rows of a catalogue's matches, the same as `rowTemplate` gives, several times as fast: ids
 * are copied as bytes where rows hold nothing else, and JSON is written as bytes. What a call returns is good until the next one.
 */
export function rowTemplates(catalogue: Catalogue, format: TemplateFormat): (match: MatchId) => Uint8Array {
  const write = writerOf(catalogue, format, idsFor(catalogue, format));
  return (match) => write(match, ownLength(catalogue, match));
}

/** Templates that matches with the same key share, as their own prefixes are holes; see `CreateRowTemplates`. */
export interface SharedRowTemplates {
  readonly front: Uint8Array | null;
  readonly texts: () => RowTexts | null;
  /** All keys are below this. */
  readonly keyCount: number;
  readonly keyOf: (match: MatchId) => number;
  readonly templateOf: (match: MatchId) => Uint8Array;
}

/**
 * The templates of `rowTemplates`, shared by all matches that have just one value, the same, and nothing that covers
 * them: most lists of labels have many prefixes with each.
 */
export function sharedRowTemplates(catalogue: Catalogue, format: TemplateFormat): SharedRowTemplates {
  const ids = idsFor(catalogue, format);
  const write = writerOf(catalogue, format, ids);
  const { valueCount } = catalogue;
  return {
    front: frontOf(format),
    texts: () => ids && textsOf(catalogue, format, ids),
    keyCount: valueCount + catalogue.table.matchCount + 1,
    keyOf: (match) => (match === 0 ? 0 : catalogue.onlyValueOf(match) || valueCount + match),
    templateOf: (match) => write(match, OWN_PREFIX_HOLE),
  };
}

function frontOf(format: TemplateFormat): Uint8Array | null {
  if (format === "append") return Uint8Array.of(TAB);
  if (format !== "tsv" && format !== "csv") return null;
  const delimiter = format === "csv" ? COMMA : TAB;
  return Uint8Array.of(HOLE, ADDRESS_HOLE, delimiter, HOLE, OWN_PREFIX_HOLE, delimiter);
}

/** The ids of matches with one value and nothing above it, without those that rows of CSV show in another form. */
function textsOf(catalogue: Catalogue, format: TemplateFormat, { bytes, starts }: NodeIds): RowTexts {
  const starting = new Uint32Array(catalogue.valueCount + 1);
  const isFree = format !== "csv";
  for (let value = 1; value < starting.length; value++) {
    const start = starts[catalogue.numberOf(value) - 1]!;
    if (isFree || isPlainText(bytes, start)) starting[value] = start;
  }
  const startOf = catalogue.onlyValues();
  for (let match = 1; match < startOf.length; match++) startOf[match] = starting[startOf[match]!] ?? 0;
  return { bytes, startOf };
}

/** Whether the text up to the LF is the same as a cell of CSV. */
function isPlainText(bytes: Uint8Array, start: number): boolean {
  if (!isPlain(bytes[start]!)) return false;
  for (let at = start; bytes[at] !== LF; at++) if (bytes[at] === QUOTE) return false;
  return true;
}

/** All ids, for the formats whose rows hold nothing else; null where they are not all ASCII. */
function idsFor(catalogue: Catalogue, format: TemplateFormat): NodeIds | null {
  return format === "tsv" || format === "csv" || format === "append" ? catalogue.encodedIds() : null;
}

function writerOf(catalogue: Catalogue, format: TemplateFormat, ids: NodeIds | null): Write {
  if (format === "jsonl") {
    const rows = new JsonRows(catalogue);
    return (match, own) => rows.write(match, own);
  }
  const general: Write = (match, own) => rowTemplate(catalogue, format, match, own);
  if (ids === null) return general;
  const writer = new TemplateWriter(catalogue, format, ids);
  return (match, own) => writer.write(match, own) ?? general(match, own);
}

class TemplateWriter {
  readonly #catalogue: Catalogue;
  readonly #table: PrefixTable;
  readonly #format: TemplateFormat;
  readonly #ids: NodeIds;
  readonly #nodes = new Uint32Array(MAX_NODES);
  #out = new Uint8Array(1024);
  /** By length: the front of `#out`. Making a view takes as long as making a template. */
  #views: (Uint8Array | undefined)[] = [];

  constructor(catalogue: Catalogue, format: TemplateFormat, ids: NodeIds) {
    this.#catalogue = catalogue;
    this.#table = catalogue.table;
    this.#format = format;
    this.#ids = ids;
  }

  /** The template, or null where it takes the general way. */
  write(match: MatchId, own: number): Uint8Array | null {
    const { starts, ends, bytes } = this.#ids;
    const nodes = this.#nodes;
    const count = this.#gather(match);
    if (count < 0) return null;
    let most = 16;
    for (let node = 0; node < count; node++) most += ends[nodes[node]!]! - starts[nodes[node]!]! + 1;
    if (most > this.#out.length) {
      this.#out = new Uint8Array(2 * most);
      this.#views = [];
    }

    const out = this.#out;
    const delimiter = this.#format === "csv" ? COMMA : TAB;
    let at = 0;
    if (this.#format !== "append") {
      out[at++] = HOLE;
      out[at++] = ADDRESS_HOLE;
      out[at++] = delimiter;
      if (match !== 0) {
        out[at++] = HOLE;
        out[at++] = own;
      }
    }
    out[at++] = delimiter;
    const isQuoted = this.#format === "csv" && count > 1;
    if (isQuoted) out[at++] = QUOTE;
    if (this.#format === "csv" && count > 0 && !isPlain(bytes[starts[nodes[0]!]!]!)) return null;
    for (let node = 0; node < count; node++) {
      if (node > 0) out[at++] = COMMA;
      const end = ends[nodes[node]!]!;
      for (let from = starts[nodes[node]!]!; from < end; from++) {
        const byte = bytes[from]!;
        if (byte === QUOTE && this.#format === "csv") return null;
        out[at++] = byte;
      }
    }
    if (isQuoted) out[at++] = QUOTE;
    if (this.#format !== "append") out[at++] = LF;
    return (this.#views[at] ??= out.subarray(0, at));
  }

  /**
   * The nodes of the match's whole chain, sorted by id, each once, into `#nodes`; how many, or -1 where that is not for
   * here.
   */
  #gather(match: MatchId): number {
    const table = this.#table;
    if (match === 0) return 0;
    let count = 0;
    for (let covering = match; covering !== 0; covering = table.parent(covering)) {
      const values = this.#catalogue.valuesOf(covering);
      if (count + values.length > MAX_NODES) return -1;
      for (let index = 0; index < values.length; index++) {
        count = this.#insert(this.#catalogue.numberOf(values[index]!) - 1, count);
      }
    }
    return count;
  }

  /** Insertion into a sorted list, which rarely has more than three. */
  #insert(node: number, count: number): number {
    const nodes = this.#nodes;
    let position = count;
    for (; position > 0; position--) {
      const order = this.#compare(nodes[position - 1]!, node);
      if (order === 0) return count;
      if (order < 0) break;
    }
    nodes.copyWithin(position + 1, position, count);
    nodes[position] = node;
    return count + 1;
  }

  #compare(a: number, b: number): number {
    if (a === b) return 0;
    const { bytes, starts, ends } = this.#ids;
    let atA = starts[a]!;
    let atB = starts[b]!;
    const endA = ends[a]!;
    const endB = ends[b]!;
    while (atA < endA && atB < endB && bytes[atA] === bytes[atB]) {
      atA++;
      atB++;
    }
    if (atA === endA || atB === endB) return endA - atA - (endB - atB);
    return bytes[atA]! - bytes[atB]!;
  }
}
