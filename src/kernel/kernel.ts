import {
  HEADER_BUCKETS_4,
  HEADER_HOST_MATCH_4,
  HEADER_LAYOUT_VERSION,
  HEADER_MATCH_COUNT,
  HEADER_OVERFLOW_4,
  HEADER_ROOT_BITS_4,
  HEADER_ROOT_BITS_6,
  LAYOUT_VERSION_HOSTS,
} from "../table/layout.ts";
import type { TableSections } from "../table/sections.ts";
import { TableError } from "../table/table-error.ts";
import { MODULE } from "./_module.ts";
import { type SharedMemory, webAssembly, type WebAssemblyApi } from "../memory/web-assembly.ts";
import {
  LINE_ENTRIES,
  LINE_STARTS,
  LINES_4,
  LINES_6,
  MATCHES,
  MEMBER,
  MEMBER_BYTES,
  MISSING,
  PENDING_LINES,
  SELECT_ALL,
  SELECT_MATCHED,
  SELECT_UNMATCHED,
  TAILS,
  WORDS_4,
  WORDS_6,
} from "./workspace.ts";

/** The functions that `assembly/index.ts` exports. Addresses and sizes are in bytes. */
interface Exports {
  setTable(
    root4: number,
    shift4: number,
    nodes4: number,
    root6: number,
    shift6: number,
    nodes6: number,
    matchCount: number,
    matchLengths: number,
  ): void;
  setHosts(buckets: number, overflow: number, match: number): void;
  setWorkspace(at: number): void;
  writeTables(): void;
  lookupBatch4(words: number, out: number, count: number): void;
  lookupBatch6(words: number, out: number, count: number): void;
  lookedUp(): number;
  useActiveMatches(at: number): void;
  skipExpired(matches: number, count: number): void;
  countMatches(at: number): void;
  useUnmatched(last: number): void;
  countLines(at: number, end: number): void;
  resetCounts(): void;
  countedLines(): number;
  countedAddresses(): number;
  countedMatched(): number;
  scanChunk(at: number, end: number): number;
  scanColumn(at: number, end: number, delimiter: number, column: number): number;
  scanQuotedColumn(at: number, end: number, column: number): number;
  useMember(length: number): void;
  scanMember(at: number, end: number): number;
  undecidedLines(): number;
  cutRecords(at: number, end: number, state: number): number;
  stateOfRecords(): number;
  setScanned(lines: number, count4: number, count6: number): void;
  countChunk(): void;
  scannedLines(): number;
  scanned4(): number;
  scanned6(): number;
  lookupChunk(): void;
  useRows(templates: number, selection: number, append: number, delimiter: number): void;
  gatherTemplates(): number;
  numberLines(first: number): void;
  useTails(has: number): void;
  countNewlines(at: number, end: number): number;
  countObjects(at: number, end: number): number;
  haveColumns(at: number, end: number, delimiter: number, columns: number, quoted: number): number;
  irregularObjects(lines: number): number;
  writeRows(out: number, end: number): number;
  writtenLines(): number;
}

const SELECTIONS = { all: SELECT_ALL, matched: SELECT_MATCHED, unmatched: SELECT_UNMATCHED };

export interface LineCounts {
  readonly lines: number;
  /** Lines with an address. */
  readonly addresses: number;
  /** Lines with an address that a prefix covers. */
  readonly matched: number;
}

/**
 * The native kernel over a memory that holds a table: one per thread. It owns no memory; all that it reads and writes
 * are addresses (byte offsets into the memory) that it is given.
 */
export class Kernel {
  /**
   * Of the chunk that was scanned last: the address where each line begins and, after the last line, where the next one
   * does. `lineStarts[i + 1] - 1` is the LF of line i.
   */
  readonly lineStarts: Uint32Array;
  /** The IPv4 addresses of that chunk, a word each, in no particular order, and the numbers of their lines in it. */
  readonly words4: Uint32Array;
  readonly lines4: Uint32Array;
  /**
   * The IPv6 addresses of that chunk, four words each, in no particular order, and the numbers of their lines in it.
   */
  readonly words6: Uint32Array;
  readonly lines6: Uint32Array;
  /** Of the chunk that was looked up last: the match id of each line, 0 for no match, -1 for no address. */
  readonly matches: Int32Array;
  /** Numbers of lines of the chunk that `scanColumn`, `scanQuotedColumn` or `scanMember` has left undecided. */
  readonly undecided: Int32Array;
  /** Match ids (-1: no address) of that chunk that lack a template; see `gatherTemplates`. */
  readonly missing: Int32Array;
  /** Of the chunk whose rows are written next: the address of the text that each ends with; see `useTails`. */
  readonly tails: Uint32Array;
  readonly #exports: Exports;
  readonly #member: Uint8Array;

  private constructor(exports: Exports, buffer: SharedArrayBuffer, workspace: number) {
    this.#exports = exports;
    const wordsAt = (offset: number, length = LINE_ENTRIES): Uint32Array =>
      new Uint32Array(buffer, workspace + offset, length);
    this.lineStarts = wordsAt(LINE_STARTS);
    this.words4 = wordsAt(WORDS_4);
    this.lines4 = wordsAt(LINES_4);
    this.words6 = wordsAt(WORDS_6, 4 * LINE_ENTRIES);
    this.lines6 = wordsAt(LINES_6);
    this.matches = new Int32Array(buffer, workspace + MATCHES, LINE_ENTRIES);
    this.undecided = new Int32Array(buffer, workspace + PENDING_LINES, LINE_ENTRIES);
    this.missing = new Int32Array(buffer, workspace + MISSING, LINE_ENTRIES);
    this.tails = wordsAt(TAILS);
    this.#member = new Uint8Array(buffer, workspace + MEMBER, MEMBER_BYTES);
  }

  /**
   * `sections` are those of the table in `memory`; `workspace` is the address of `WORKSPACE_BYTES` bytes that this
   * thread alone uses, a multiple of 64. Returns null where WebAssembly, or what the kernel needs of it, is missing.
   */
  static create(memory: SharedMemory, sections: TableSections, workspace: number): Kernel | null {
    const module = compiledModule();
    if (module === null) return null;
    const exports = new (webAssembly()!.Instance)(module, { env: { memory } }).exports as Exports;
    const header = new Int32Array(memory.buffer, sections.header.byteOffset);
    exports.setTable(
      sections.root4.byteOffset,
      32 - header[HEADER_ROOT_BITS_4]!,
      sections.nodes4.byteOffset,
      sections.root6.byteOffset,
      16 - header[HEADER_ROOT_BITS_6]!,
      sections.nodes6.byteOffset,
      header[HEADER_MATCH_COUNT]!,
      sections.matchLength.byteOffset,
    );
    if (header[HEADER_LAYOUT_VERSION] === LAYOUT_VERSION_HOSTS)
      exports.setHosts(header[HEADER_BUCKETS_4]!, header[HEADER_OVERFLOW_4]!, header[HEADER_HOST_MATCH_4]!);
    exports.setWorkspace(workspace);
    exports.writeTables();
    return new Kernel(exports, memory.buffer, workspace);
  }

  /**
   * Skips what has expired from now on: `at` is the address of the table's `ActiveMatches`; 0 ends it.
   */
  useActiveMatches(at: number): void {
    this.#exports.useActiveMatches(at);
  }

  /**
   * Looks up `count` IPv4 addresses, a word each at the address `words`, and writes their match ids to the address
   * `out`; up to three more of both are read and written. Throws `TableError` if a lookup comes upon a corrupt part of
   * the table.
   */
  lookupBatch4(words: number, out: number, count: number): void {
    this.#lookUp(() => this.#exports.lookupBatch4(words, out, count));
    this.#exports.skipExpired(out, count);
  }

  /** As `lookupBatch4`, for IPv6 addresses of four words. */
  lookupBatch6(words: number, out: number, count: number): void {
    this.#lookUp(() => this.#exports.lookupBatch6(words, out, count));
    this.#exports.skipExpired(out, count);
  }

  /**
   * Runs a lookup. The kernel traps if a corrupt table leads out of the memory, too deep, or to a match that does not
   * exist.
   */
  #lookUp(run: () => void): void {
    try {
      run();
    } catch (trap) {
      if (!(trap instanceof webAssembly()!.RuntimeError)) throw trap;
      throw new TableError(
        "bad-node",
        this.#exports.lookedUp() === 4 ? "nodes4" : "nodes6",
        "a lookup left the section, went too deep, or found a match that does not exist",
      );
    }
  }

  /** Counts lines by match id from now on: adds 1 to the 64-bit float at `at + 8 * id`; 0 ends it. */
  countMatches(at: number): void {
    this.#exports.countMatches(at);
  }

  /**
   * Finds, looks up and counts the addresses of the lines of the text [at, end). The byte before `end` or the one at
   * `end` must be an LF, and `TEXT_SLACK` bytes after that must be there to be read.
   */
  countLines(at: number, end: number): LineCounts {
    const exports = this.#exports;
    exports.resetCounts();
    this.#lookUp(() => exports.countLines(at, end));
    return this.takeCounts();
  }

  /** Ids up to `last` are of lines without a match, in rows and their counts; 0 unless ids are joined ones. */
  useUnmatched(last: number): void {
    this.#exports.useUnmatched(last);
  }

  /** What `writeRows` has counted since the last call of this. */
  takeCounts(): LineCounts {
    const exports = this.#exports;
    const counts = {
      lines: exports.countedLines(),
      addresses: exports.countedAddresses(),
      matched: exports.countedMatched(),
    };
    exports.resetCounts();
    return counts;
  }

  /**
   * Scans a chunk of lines, at most `CHUNK_LINES + 64`, from the one that begins at `at`, at < end; the text is as
   * `countLines` wants it. Returns where the next line begins: `end` or after it when this was the last chunk.
   */
  scanChunk(at: number, end: number): number {
    return this.#exports.scanChunk(at, end) >>> 0; // addresses from 2^31 on come back negative
  }

  /**
   * As `scanChunk`, for the addresses in one column (from 0) of lines that are cut at every delimiter, a byte: there
   * must be no quotes that change that. A column that is more than an address is left undecided: `undecidedCount` line
   * numbers in `undecided`. The caller decides them, and adds addresses with `addFound`.
   */
  scanColumn(at: number, end: number, delimiter: number, column: number): number {
    return this.#exports.scanColumn(at, end, delimiter, column) >>> 0;
  }

  /**
   * As `scanColumn`, for comma-separated values with quotes. The chunk ends before a record that is longer than a line,
   * and has no lines if that is the first: returns `at` then.
   */
  scanQuotedColumn(at: number, end: number, column: number): number {
    return this.#exports.scanQuotedColumn(at, end, column) >>> 0;
  }

  /** The member that `scanMember` reads: its name in UTF-8, at most `MEMBER_BYTES` of it. */
  useMember(name: Uint8Array): void {
    this.#member.set(name);
    this.#exports.useMember(name.length);
  }

  /** As `scanColumn`, for the member named by `useMember` of lines that are JSON objects. */
  scanMember(at: number, end: number): number {
    return this.#exports.scanMember(at, end) >>> 0;
  }

  /**
   * The address after the last LF in the text [at, end) that ends a record of CSV (0: none), and the state at `end`;
   * `state` is the one at `at` (FIELD_START and others, in workspace.ts). `TEXT_SLACK` bytes from `end` on must be
   * there to be read.
   */
  cutRecords(at: number, end: number, state: number): { readonly end: number; readonly state: number } {
    const exports = this.#exports;
    return { end: exports.cutRecords(at, end, state) >>> 0, state: exports.stateOfRecords() };
  }

  get undecidedCount(): number {
    return this.#exports.undecidedLines();
  }

  /** Adds the address of a line of the chunk that was scanned last and has none yet: its words are `found[0..3]`. */
  addFound(line: number, family: 4 | 6, found: Uint32Array): void {
    const { count4, count6 } = this;
    if (family === 4) {
      this.words4[count4] = found[0]!;
      this.lines4[count4] = line;
    } else {
      this.words6.set(found.subarray(0, 4), 4 * count6);
      this.lines6[count6] = line;
    }
    this.#exports.setScanned(this.chunkLines, count4 + (family === 4 ? 1 : 0), count6 + (family === 6 ? 1 : 0));
  }

  /** Looks up and counts the addresses of the chunk that was scanned last; `takeCounts` has the counts. */
  countChunk(): void {
    this.#lookUp(() => this.#exports.countChunk());
  }

  /** The lines of the chunk that was scanned last. */
  get chunkLines(): number {
    return this.#exports.scannedLines();
  }

  /** How many IPv4 addresses that chunk has. */
  get count4(): number {
    return this.#exports.scanned4();
  }

  /** How many IPv6 addresses that chunk has. */
  get count6(): number {
    return this.#exports.scanned6();
  }

  /** Looks up the addresses of the chunk that was scanned last. */
  lookupChunk(): void {
    this.#lookUp(() => this.#exports.lookupChunk());
  }

  /**
   * Sets the templates of rows from now on. `templates` is the address of matchCount + 2 words: by match id + 1 (0: a
   * line without an address) the address of its template as `TemplateWriter` wrote it, 0 while there is none. With
   * `appends` a row is the line, what the template gives, and a newline. With a `delimiter`, a byte, a row
   * with a match is the address, the match's prefix, and a text: instead of a template there is the address of its bytes,
   * which end with an LF. With `appends`, the row is the line, the delimiter and the text. 0: templates say all.
   */
  useRows(templates: number, selection: keyof typeof SELECTIONS, appends: boolean, delimiter: number): void {
    this.#exports.useRows(templates, SELECTIONS[selection], appends ? 1 : 0, delimiter);
  }

  /**
   * Starts the rows of the chunk that was looked up last. Returns how many match ids in `missing`, repeated ones
   * included, have no template yet: write their templates and call again, until it is 0.
   */
  gatherTemplates(): number {
    return this.#exports.gatherTemplates();
  }

  /**
   * Whether each row ends with a text at its address in `tails`, in place of its newline; texts end with an LF, and 16
   * bytes after that can be read.
   */
  useTails(has: boolean): void {
    this.#exports.useTails(has ? 1 : 0);
  }

  /**
   * Sets the line number that the rows of the next chunk show for its first line, where their templates have a hole for
   * it.
   */
  numberLines(first: number): void {
    this.#exports.numberLines(first);
  }

  /**
   * As `countLines`, up to the chunk in which a line does not begin or does not end with a brace: returns where the one
   * after that begins. `takeCounts` has the counts.
   */
  countObjects(at: number, end: number): number {
    let next = at;
    this.#lookUp(() => (next = this.#exports.countObjects(at, end) >>> 0));
    return next;
  }

  /** Of the first so many lines of the chunk, the numbers of those that do not begin or do not end with a brace. */
  irregularObjects(lines: number): Int32Array {
    return this.missing.subarray(0, this.#exports.irregularObjects(lines));
  }

  /**
   * Whether each line of the text [at, end) has so many columns, two or more; 0: two or more each. With `quoted`,
   * delimiters between quotes do not count, and quotes that are ordinary characters, or an LF between them, make it false.
   */
  haveColumns(at: number, end: number, delimiter: number, columns: number, quoted: boolean): boolean {
    return this.#exports.haveColumns(at, end, delimiter, columns, Number(quoted)) !== 0;
  }

  /** How many LFs are in the text [at, end), for which the rules of `countLines` hold. */
  countNewlines(at: number, end: number): number {
    return this.#exports.countNewlines(at, end);
  }

  /**
   * Writes the rows of the chunk, from the first that is not written yet, to [out, end) as far as they are sure to fit;
   * `ROW_SLACK` bytes after `end` may be overwritten. Returns where they end. Counts the lines that are done, with and
   * without a row.
   */
  writeRows(out: number, end: number): number {
    return this.#exports.writeRows(out, end) >>> 0;
  }

  /**
   * Lines of the chunk that `writeRows` is done with, from the front; fewer than `chunkLines`: there was no room for
   * the next row.
   */
  get writtenLines(): number {
    return this.#exports.writtenLines();
  }
}

let compiled: object | null | undefined;

/**
 * The module, compiled once per thread (the engine shares the code between threads); null where the platform cannot.
 */
function compiledModule(): object | null {
  if (compiled === undefined) compiled = compile(webAssembly());
  return compiled;
}

function compile(api: WebAssemblyApi | undefined): object | null {
  if (api === undefined) return null;
  try {
    return new api.Module(bytesOfBase64(MODULE));
  } catch {
    return null; // without SIMD or shared memories the module is not valid
  }
}

function bytesOfBase64(text: string): Uint8Array {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
