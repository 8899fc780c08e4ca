import { ADDRESS_HOLE, HOLE } from "../rows/holes.ts";
import type { MatchId } from "../table/match-id.ts";
import { matchSetsOf } from "./_describe.ts";
import { primaryOf, type PrimaryClaim } from "./primary.ts";
import { type Catalogue, type CatalogueNode, type Claim, sourceKey, sourceUpdatedAt } from "./catalogue.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** JSON escapes some units below, and UTF-8 takes several bytes for those above. */
const FIRST_PLAIN = 0x20;
const LAST_PLAIN = 0x7e;
/** A unit takes six bytes at most, as an escape. */
const UNIT_BYTES = 6;
const encoder = new TextEncoder();

/**
 * Rows of the format "jsonl": the bytes of `JSON.stringify` of `describe` in a quarter of its time, as they are written
 * one after the other, without an object or a string.
 */
export class JsonRows {
  readonly #catalogue: Catalogue;
  #out = new Uint8Array(4096);
  #at = 0;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** The template of a match's row, with the hole `own` for its own prefix; good until the next call. */
  write(match: MatchId, own: number): Uint8Array {
    this.#at = 0;
    this.#text('{"ip":');
    this.#hole(ADDRESS_HOLE);
    this.#text(match === 0 ? ',"found":false,"cidr":null,' : ',"found":true,"cidr":');
    if (match !== 0) {
      this.#hole(own);
      this.#text(",");
    }
    const value = match === 0 ? 0 : this.#catalogue.onlyValueOf(match);
    if (value === 0) this.#all(match, own);
    else this.#one(match, this.#catalogue.claim(value), own);
    this.#text("]}\n");
    return this.#out.subarray(0, this.#at);
  }

  #all(match: MatchId, own: number): void {
    this.#sets(match, own);
    this.#text(',"matches":[');
    this.#matches(match, own);
  }

  /** As `#all` where there is one claim: no lists are made, which would take most of the time. */
  #one(match: MatchId, claim: Claim, own: number): void {
    const { id, label, provider, type, service, region } = claim.node;
    this.#primary(primaryOf(this.#catalogue, match), match, own);
    this.#setOfOne(',"labels":[', label);
    this.#setOfOne(',"cbs_ids":[', id);
    this.#setOfOne(',"providers":[', provider);
    this.#setOfOne(',"types":[', type);
    this.#setOfOne(',"services":[', service);
    this.#setOfOne(',"regions":[', region);
    this.#text(',"matches":[');
    this.#claim(claim, own);
  }

  #setOfOne(front: string, text: string | null): void {
    this.#text(front);
    if (text !== null && text !== "") this.#quoted(text);
    this.#text("]");
  }

  #primary(primary: PrimaryClaim | null, match: MatchId, own: number): void {
    if (primary === null) return this.#text('"primary":null');
    const { name, cbs_id, provider, type, service, region, length, source } = primary;
    this.#member('"primary":{"name":', name);
    this.#member(',"cbs_id":', cbs_id);
    this.#member(',"provider":', provider);
    this.#member(',"type":', type);
    this.#member(',"service":', service);
    this.#member(',"region":', region);
    this.#text(',"cidr":');
    this.#hole(length === this.#catalogue.table.prefixLength(match) ? own : length);
    this.#member(',"source":', source);
    this.#text("}");
  }

  #sets(match: MatchId, own: number): void {
    const { primary, labels, cbs_ids, providers, types, services, regions } = matchSetsOf(this.#catalogue, match);
    this.#primary(primary, match, own);
    this.#set(',"labels":[', labels);
    this.#set(',"cbs_ids":[', cbs_ids);
    this.#set(',"providers":[', providers);
    this.#set(',"types":[', types);
    this.#set(',"services":[', services);
    this.#set(',"regions":[', regions);
  }

  #set(front: string, texts: readonly string[]): void {
    this.#text(front);
    for (let index = 0; index < texts.length; index++) {
      if (index > 0) this.#text(",");
      this.#quoted(texts[index]!);
    }
    this.#text("]");
  }

  #matches(match: MatchId, own: number): void {
    const { table } = this.#catalogue;
    let isFirst = true;
    for (let covering = match; covering !== 0; covering = table.parent(covering)) {
      for (const claim of this.#catalogue.claimsOf(covering)) {
        if (!isFirst) this.#text(",");
        isFirst = false;
        this.#claim(claim, covering === match ? own : table.prefixLength(covering));
      }
    }
  }

  #claim({ node, source }: Claim, prefix: number): void {
    this.#node(node, prefix);
    this.#member(',"source":', source === null ? null : sourceKey(source));
    this.#member(',"source_updated_at":', source === null ? null : sourceUpdatedAt(source));
    this.#text("}");
  }

  #node({ id, label, provider, type, service, region }: CatalogueNode, prefix: number): void {
    this.#member('{"provider":', provider);
    this.#member(',"type":', type);
    this.#member(',"service":', service);
    this.#member(',"region":', region);
    this.#text(',"cidr":');
    this.#hole(prefix);
    this.#member(',"cbs_id":', id);
    this.#member(',"label":', label);
  }

  #member(front: string, text: string | null): void {
    this.#text(front);
    if (text === null) this.#text("null");
    else this.#quoted(text);
  }

  /** Text of printable ASCII. */
  #text(text: string): void {
    this.#makeRoom(text.length);
    const out = this.#out;
    let to = this.#at;
    for (let at = 0; at < text.length; at++) out[to++] = text.charCodeAt(at);
    this.#at = to;
  }

  /** In quotes, and with escapes where JSON needs them. */
  #quoted(text: string): void {
    this.#makeRoom(UNIT_BYTES * text.length + 2);
    const out = this.#out;
    let to = this.#at;
    out[to++] = QUOTE;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < FIRST_PLAIN || unit > LAST_PLAIN || unit === QUOTE || unit === BACKSLASH) return this.#escaped(text);
      out[to++] = unit;
    }
    out[to++] = QUOTE;
    this.#at = to;
  }

  #escaped(text: string): void {
    this.#at += encoder.encodeInto(JSON.stringify(text), this.#out.subarray(this.#at)).written;
  }

  /** In quotes. */
  #hole(what: number): void {
    this.#makeRoom(4);
    const out = this.#out;
    out[this.#at++] = QUOTE;
    out[this.#at++] = HOLE;
    out[this.#at++] = what;
    out[this.#at++] = QUOTE;
  }

  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return;
    const larger = new Uint8Array(2 * (this.#at + bytes));
    larger.set(this.#out);
    this.#out = larger;
  }
}
