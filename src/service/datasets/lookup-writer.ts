import type { Prefix } from "../../address/address.ts";
import { formatPrefix, parsePrefix, prefixOf } from "../../address/prefix.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identify } from "../../cbs/identify.ts";
import type { LookupDocument } from "../../cbs/lookup-document.ts";

/** Templates kept, a kilobyte each; a catalogue of the bundled one's size has all of them. */
const MAX_TEMPLATES = 20_000;

/** A document cut at its prefixes: `texts[0]`, the prefix of `lengths[0]` bits, `texts[1]`, ... */
interface Template {
  readonly texts: readonly string[];
  readonly lengths: readonly number[];
}

/**
 * Writes lookup documents as JSON. All addresses with one match have the same document but for the address and the
 * prefixes around it, so it is made once per match and filled in.
 */
export class LookupWriter {
  readonly #catalogue: Catalogue;
  readonly #templates = new Map<number, Template>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** The document of a prefix that was written as `text`. */
  write(prefix: Prefix, text: string): { json: string; found: boolean } {
    const match = this.#catalogue.table.lookupPrefix(prefix);
    const { texts, lengths } = this.#templates.get(match) ?? this.#addTemplate(match, prefix);
    let json = `{"ip":${JSON.stringify(text)},${texts[0]!}`;
    let last = -1;
    let cidr = "";
    for (let i = 0; i < lengths.length; i++) {
      // Neighbours have mostly the same prefix: matches are sorted by it.
      if (lengths[i] !== last) cidr = formatPrefix(prefixOf(prefix, (last = lengths[i]!)));
      json += cidr + texts[i + 1]!;
    }
    return { json, found: match !== 0 };
  }

  #addTemplate(match: number, prefix: Prefix): Template {
    const template = templateOf(identify(this.#catalogue, prefix, ""));
    if (this.#templates.size >= MAX_TEMPLATES) this.#templates.clear();
    this.#templates.set(match, template);
    return template;
  }
}

/** No text of a catalogue holds a control character. */
const MARK = "\u0001";
const MARKED = /\\u0001(\d+)\\u0001/;

function templateOf(document: LookupDocument): Template {
  const mark = (cidr: string): string => MARK + String(parsePrefix(cidr).length) + MARK;
  const marked = {
    ...document,
    ip: undefined,
    cidr: document.cidr === null ? null : mark(document.cidr),
    matches: document.matches.map((each) => ({ ...each, cidr: mark(each.cidr) })),
  };
  // Split by a pattern with one group: texts at even places, lengths at odd ones.
  const parts = JSON.stringify(marked).slice(1).split(MARKED);
  return { texts: parts.filter((_, i) => i % 2 === 0), lengths: parts.filter((_, i) => i % 2 === 1).map(Number) };
}
