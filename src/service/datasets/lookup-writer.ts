import type { Prefix } from "../../address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../address/prefix.ts";
import type { Matcher } from "../../batch/engine/matcher.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identify } from "../../cbs/identify.ts";
import type { LookupDocument } from "../../cbs/lookup-document.ts";
import type { AddressBatch } from "../address-batch.ts";

/** Maximum templates kept, a kilobyte each: enough for all matches of a catalogue as large as the bundled one. */
const MAX_TEMPLATES = 20_000;

/** A document cut at its prefixes: `texts[0]`, the prefix of `lengths[0]` bits, `texts[1]`, ... */
interface Template {
  readonly texts: readonly string[];
  readonly lengths: readonly number[];
}

/**
 * Writes lookup documents as JSON. All addresses with the same match have the same document except for the address and
 * the prefixes around it, so it is made once per match and filled in.
 */
export class LookupWriter {
  readonly #catalogue: Catalogue;
  readonly #batches: Pick<Matcher, "lookupBatchInto">;
  readonly #templates = new Map<number, Template>();

  /** `batches` looks up many addresses at a time in the catalogue's table. */
  constructor(catalogue: Catalogue, batches: Pick<Matcher, "lookupBatchInto">) {
    this.#catalogue = catalogue;
    this.#batches = batches;
  }

  /** The document of a prefix that was written as `text`. */
  write(prefix: Prefix, text: string): { json: string; found: boolean } {
    const match = this.#lookup(prefix);
    return { json: this.document(match, text, prefix), found: match !== 0 };
  }

  /** The matches of the addresses and prefixes of a batch, by index. */
  lookingUp(batch: AddressBatch): Generator<undefined, Uint32Array, undefined> {
    const { now } = this.#catalogue;
    return batch.lookingUp({
      lookUpInto: (family, words, out, count) => this.#batches.lookupBatchInto(family, words, out, count, now),
      lookUpPrefix: (prefix) => this.#lookup(prefix),
    });
  }

  /** The match that decides: expired ones are skipped. */
  #lookup(prefix: Prefix): number {
    const { table, now } = this.#catalogue;
    return table.activeMatch(table.lookupPrefix(prefix), now);
  }

  /**
   * The document of a text whose match is known. `parsed` is the prefix that it names; without it the text is parsed
   * where that is needed.
   */
  document(match: number, text: string, parsed?: Prefix): string {
    const template = this.#templates.get(match) ?? this.#addTemplate(match, parsed ?? parsePrefix(text));
    const { texts, lengths } = template;
    let json = `{"ip":"${text}",${texts[0]!}`;
    if (lengths.length === 0) return json;
    const prefix = parsed ?? parsePrefix(text);
    let last = -1;
    let cidr = "";
    for (let i = 0; i < lengths.length; i++) {
      // Neighbours usually have the same prefix, because matches are sorted by it.
      if (lengths[i] !== last) cidr = formatPrefix(prefixOf(prefix, (last = lengths[i]!)));
      json += cidr + texts[i + 1]!;
    }
    return json;
  }

  #addTemplate(match: number, prefix: Prefix): Template {
    const template = templateOf(identify(this.#catalogue, prefix, ""));
    if (this.#templates.size >= MAX_TEMPLATES) this.#templates.clear();
    this.#templates.set(match, template);
    return template;
  }
}

/** No text of a catalogue contains a control character. */
const MARK = "\u0001";
const MARKED = /\\u0001(\d+)\\u0001/;

function templateOf(document: LookupDocument): Template {
  const mark = (cidr: string): string => MARK + String(parsePrefix(cidr).length) + MARK;
  const marked = {
    ...document,
    ip: undefined,
    cidr: document.cidr === null ? null : mark(document.cidr),
    primary: document.primary === null ? null : { ...document.primary, cidr: mark(document.primary.cidr) },
    matches: document.matches.map((each) => ({ ...each, cidr: mark(each.cidr) })),
  };
  // Split by a pattern with one group: texts at even indexes, lengths at odd ones.
  const parts = JSON.stringify(marked).slice(1).split(MARKED);
  return { texts: parts.filter((_, i) => i % 2 === 0), lengths: parts.filter((_, i) => i % 2 === 1).map(Number) };
}
