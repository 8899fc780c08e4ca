import assert from "node:assert/strict";
import { formatPrefix } from "../../src/address/prefix.ts";
import { type CtiRecord, FIELDS } from "../../src/cti/fields.ts";
import { FeedImport, type FeedOptions } from "../../src/cti/import-feed.ts";
import type { FeedReport } from "../../src/cti/importers/feed.ts";
import { FeedError, type FeedErrorCode } from "../../src/cti/importers/feed-error.ts";

/** An entry: its prefix, and what is known about it. */
export type Entry = readonly [prefix: string, known: Partial<CtiRecord>];

/** Reads a feed whose text comes in pieces of this size. */
export function readFeed(
  text: string,
  options: FeedOptions = {},
  pieceLength: number = Infinity,
): { entries: Entry[]; report: FeedReport } {
  const entries: Entry[] = [];
  const feed = new FeedImport(options, (prefix, record) => {
    const known = FIELDS.filter(({ member, kind }) => !kind.isEmpty(record[member])).map(({ member }) => [
      member,
      record[member],
    ]);
    entries.push([formatPrefix(prefix), Object.fromEntries(known)]);
  });
  for (let at = 0; at < text.length; at += pieceLength) feed.push(text.slice(at, at + pieceLength));
  return { entries, report: feed.end() };
}

/** A line that is left out: its position, and what its message contains. */
export type BadLine = readonly [what: string, text: string, line: number, column: number, message: RegExp];

/** Asserts that the feed has exactly this error, however its text is split into pieces. */
export function assertSkipped([, text, line, column, message]: BadLine, options: FeedOptions = {}): void {
  for (const pieceLength of [Infinity, 1, 7]) {
    const { skippedLines, skippedCount } = readFeed(text, options, pieceLength).report;
    assert.deepEqual(
      skippedLines.map((fault) => [fault.line, fault.column]),
      [[line, column]],
    );
    assert.match(skippedLines[0]!.message, message);
    assert.equal(skippedCount, 1);
  }
}

/** A feed of which nothing is usable. */
export type BadFeed = readonly [what: string, text: string, code: FeedErrorCode, line: number];

export function assertRefused([, text, code, line]: BadFeed, options: FeedOptions = {}): void {
  for (const pieceLength of [Infinity, 5]) {
    assert.throws(
      () => readFeed(text, options, pieceLength),
      (error) => {
        assert.ok(error instanceof FeedError, String(error));
        assert.deepEqual([error.code, error.line], [code, line]);
        assert.match(error.message, /; /, "the cure is told");
        return true;
      },
    );
  }
}
