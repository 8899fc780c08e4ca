import { sortedWords } from "../sets/radix-sort.ts";
import { bucketOf, type HostsForm, keyOf, keysOfBuckets, mixOf, tagsAt, unmixed, wordsOfHosts } from "./_hosts.ts";
import type { KindCounts } from "./_kind-counts.ts";
import { type FamilyIndex, pathThrough, SegmentWalk, type Walk } from "./_segment-walk.ts";
import type { Words } from "./_words.ts";
import { BUCKET_COUNT_MASK, BUCKET_OVERFLOWS, BUCKET_TAGS, BUCKET_WORDS, HOST_BUCKETS } from "./layout.ts";
import { type MatchId, NO_MATCH } from "./match-id.ts";
import { TableError } from "./table-error.ts";

/** The path of hosts, which begins with their buckets. */
const TO_HOSTS = { path: 0 };

/** Hosts in order, and the match of each. */
interface HostList {
  readonly words: Uint32Array;
  readonly matches: Int32Array;
}

/** Reads the segments of a family back, those of hosts among them. */
export function walkOf(index: FamilyIndex, matchCount: number): Walk {
  return index.hosts === null ? new SegmentWalk(index, matchCount) : new HostWalk(index, index.hosts, matchCount);
}

/**
 * The hosts laid over the segments of root and nodes:
 *
 *     rest       0                          | c             | 0
 *     hosts          a           b
 *     walk       0 | a | 0     | b | 0      | c             | 0
 */
class HostWalk implements Walk {
  start: Words = [0, 0, 0, 0];
  match: MatchId = NO_MATCH;
  path = 0;
  readonly #rest: SegmentWalk;
  readonly #hosts: HostList;
  #host = 0;
  /** Where the next segment begins. */
  #at = 0;
  /** The segment of the rest at hand, which ends where the walk over the rest stands: after the last one at 2^32. */
  #around = { match: NO_MATCH as MatchId, path: 0 };
  #end = 0;
  #hasMore = true;

  constructor(index: FamilyIndex, form: HostsForm, matchCount: number) {
    this.#hosts = readHosts(index.nodes, form, matchCount);
    this.#rest = new SegmentWalk(index, matchCount);
    this.#hasMore = this.#rest.advance();
    this.use.nodes[HOST_BUCKETS] = 1;
    this.use.words[HOST_BUCKETS] = wordsOfHosts(form);
  }

  get use(): KindCounts {
    return this.#rest.use;
  }

  advance(): boolean {
    while (this.#at === this.#end && this.#hasMore) this.#takeRest();
    if (this.#at === this.#end) return false;
    const host = this.#hosts.words[this.#host] ?? 2 ** 32;
    const isHost = host === this.#at;
    this.start = [this.#at, 0, 0, 0];
    this.match = isHost ? (this.#hosts.matches[this.#host]! as MatchId) : this.#around.match;
    this.path = pathThrough(isHost ? TO_HOSTS : this.#around, HOST_BUCKETS);
    this.#at = isHost ? host + 1 : Math.min(host, this.#end);
    if (isHost) this.#host++;
    return true;
  }

  #takeRest(): void {
    this.#around = { match: this.#rest.match, path: this.#rest.path };
    this.#hasMore = this.#rest.advance();
    this.#end = this.#hasMore ? this.#rest.start[0] : 2 ** 32;
  }
}

/** @throws TableError for hosts that `freeze` would not have written */
function readHosts(nodes: Int32Array, form: HostsForm, matchCount: number): HostList {
  const { buckets, hosts, overflow } = form;
  const matchOfTag = readTags(nodes, form, matchCount);
  const list = { words: new Uint32Array(hosts), matches: new Int32Array(hosts) };
  const overflowAt = BUCKET_WORDS * buckets;
  let count = 0;
  let overflowing = 0;
  const add = (mix: number, match: number): void => {
    if (count === hosts) corrupt(`more than ${hosts} hosts`);
    if (count > 0 && mix <= list.words[count - 1]!)
      corrupt(`the keys of bucket ${bucketOf(mix, buckets)} do not ascend`);
    if (match < 1 || match > matchCount) corrupt(`a host has match ${match} of ${matchCount}`);
    list.words[count] = mix;
    list.matches[count++] = match;
  };
  for (let bucket = 0; bucket < buckets; bucket++) {
    const at = BUCKET_WORDS * bucket;
    const keys = countIn(nodes, at, form);
    for (let i = 0; i < keys; i++) {
      const tag = form.tags === 0 ? 0 : tagIn(nodes, at, i);
      add(mixWith(keyIn(nodes, at, i), bucket, buckets), matchOfTag[tag] ?? 0);
    }
    const before = overflowing;
    for (; overflowing < overflow; overflowing++) {
      const mix = nodes[overflowAt + overflowing]! >>> 0;
      if (bucketOf(mix, buckets) !== bucket) break;
      add(mix, form.match !== 0 ? form.match : nodes[overflowAt + overflow + overflowing]!);
    }
    const hasMore = overflowing > before;
    if (((nodes[at]! & BUCKET_OVERFLOWS) !== 0) !== hasMore || (hasMore && keys < keysOfBuckets(form)))
      corrupt(`bucket ${bucket} of ${keys} keys has ${overflowing - before} hosts in the overflow`);
  }
  if (count !== hosts || overflowing !== overflow)
    corrupt(`${count} hosts, ${overflowing} of them in the overflow, where the header says ${hosts} and ${overflow}`);
  return inOrder(list.words, list.matches);
}

/** The match of each tag. */
function readTags(nodes: Int32Array, form: HostsForm, matchCount: number): ArrayLike<number> {
  if (form.tags === 0) return [form.match];
  const matches = nodes.subarray(tagsAt(form), tagsAt(form) + form.tags);
  matches.forEach((match, tag) => {
    if (match > matchCount || match <= (tag === 0 ? 0 : matches[tag - 1]!))
      corrupt(`tag ${tag} is match ${match}, where ${matchCount} matches ascend`);
  });
  return matches;
}

/** How many keys the bucket at word `at` has. What is not theirs must be as `freeze` writes it. */
function countIn(nodes: Int32Array, at: number, form: HostsForm): number {
  const head = nodes[at]!;
  const count = head & BUCKET_COUNT_MASK;
  const room = keysOfBuckets(form);
  if (count > room || (head & ~(BUCKET_COUNT_MASK | BUCKET_OVERFLOWS)) !== 0)
    corrupt(`the bucket at word ${at} begins with ${head}`);
  for (let i = count; i < room; i++) {
    if (keyIn(nodes, at, i) !== 0xffff)
      corrupt(`something else than 0xffff after the keys of the bucket at word ${at}`);
    if (form.tags > 0 && tagIn(nodes, at, i) !== 0) corrupt(`a tag without a key in the bucket at word ${at}`);
  }
  return count;
}

function keyIn(nodes: Int32Array, at: number, i: number): number {
  return (nodes[at + 1 + (i >>> 1)]! >>> ((i & 1) << 4)) & 0xffff;
}

function tagIn(nodes: Int32Array, at: number, i: number): number {
  return (nodes[at + ((BUCKET_TAGS + i) >>> 2)]! >>> (8 * (i & 3))) & 0xff;
}

function mixWith(key: number, bucket: number, buckets: number): number {
  const mix = mixOf(bucket, key, buckets);
  if (mix > 0xffff_ffff || bucketOf(mix, buckets) !== bucket || keyOf(mix, buckets) !== key)
    corrupt(`key ${key} of bucket ${bucket} is that of no address`);
  return mix;
}

/** By address. */
function inOrder(mixes: Uint32Array<ArrayBuffer>, matches: Int32Array): HostList {
  const numbers = Uint32Array.from(mixes, (_, host) => host);
  const words = sortedWords(mixes.map(unmixed), numbers);
  return { words, matches: Int32Array.from(numbers, (host) => matches[host]!) };
}

function corrupt(what: string): never {
  throw new TableError("bad-node", "nodes4", what);
}
