import { bucketOf, type HostsForm, keyOf, keysOfBuckets, mixed, tagsAt } from "./_hosts.ts";
import type { Segments } from "./_segments.ts";
import {
  BUCKET_KEYS,
  BUCKET_OVERFLOWS,
  BUCKET_TAGS,
  BUCKET_WORDS,
  LEAST_BUCKETS,
  MOST_TAGS,
  TAGGED_KEYS,
} from "./layout.ts";

type Steps<Result> = Generator<undefined, Result, undefined>;

/** Hosts that are worked through between two interruptions: less than a millisecond. */
const STEP = 1 << 14;
/** Of the keys for which a bucket has room, so many on average: of random hosts, a few in a thousand do not fit. */
const FILLED = 2 / 3;
/** The fewest hosts for which buckets are made: the fewest buckets there can be then take 5.2 bytes a host. */
const LEAST_HOSTS = 800_000;
/** The most buckets for which products are exact. */
const MOST_BUCKETS = 1 << 21;
/** Addresses of one match side by side are hosts, up to so many; more are a wider prefix. */
const LONGEST_RUN = 16;
/** A run has at most so many hosts on average: longer ones take less room as ranges. */
const MOST_PER_RUN = 1.5;
/** The segments that are left may be one to so many hosts: a lookup that misses goes on to them. */
const HOSTS_PER_REST = 16;
/** Of so many hosts, one may be in the overflow. More are a list that was crafted to collide, whose lookups would get slow. */
const HOSTS_PER_OVERFLOW = 32;
/** The most hosts that one bucket can have, for the same reason. */
const MOST_IN_BUCKET = 255;

/** The hosts of a list, grouped by bucket, and what is left of it. */
export interface SplitHosts {
  readonly form: HostsForm;
  /** The segments without hosts. */
  readonly rest: Segments;
  /** Writes buckets, overflow and matches into `wordsOfHosts(form)` words that are 0. */
  writing(words: Int32Array): Steps<void>;
}

/** Whether so few hosts as a test has are enough, too. */
export interface HostLimits {
  readonly leastHosts: number;
}

/**
 * The hosts of IPv4 segments and what is left, if buckets suit them: null for few hosts, for many wider prefixes, and for
 * a list that was crafted to collide. O(segments)
 *
 *     segments   0 | a: 1 address | 0 | b: 3 addresses | 0 | c: /16        | 0
 *     hosts          a                  b  b  b
 *     rest       0                                         | c             | 0
 */
export function* splittingHosts(
  segments: Segments,
  { leastHosts }: HostLimits = { leastHosts: LEAST_HOSTS },
): Steps<SplitHosts | null> {
  if (segments.family !== 4 || segments.count < leastHosts) return null;
  const { hosts, runs, rest, matches } = yield* countingHosts(segments);
  const isSuited =
    hosts >= Math.max(leastHosts, 1) && hosts <= MOST_PER_RUN * runs && HOSTS_PER_REST * (rest - 1) <= hosts;
  const isOne = matches.size === 1;
  const room = isOne ? BUCKET_KEYS : TAGGED_KEYS;
  const buckets = Math.max(LEAST_BUCKETS, Math.ceil(hosts / (room * FILLED)));
  if (!isSuited || matches.size > MOST_TAGS || buckets > MOST_BUCKETS) return null;
  const tagged = isOne ? [] : [...matches].sort((one, other) => one - other);
  const columns = { mixes: new Uint32Array(hosts), tags: isOne ? null : new Uint8Array(hosts) };
  const starts = yield* groupingHosts(segments, buckets, columns, tagged);
  if (starts === null) return null;
  const overflow = overflowOf(starts, room);
  if (overflow * HOSTS_PER_OVERFLOW > hosts) return null;
  yield* sortingBuckets(starts, columns);
  const form = { buckets, hosts, overflow, match: isOne ? [...matches][0]! : 0, tags: tagged.length };
  return {
    form,
    rest: yield* restOf(segments, rest),
    writing: (words) => writingHosts(words, form, starts, columns, tagged),
  };
}

interface HostCounts {
  hosts: number;
  runs: number;
  /** The segments that are left. */
  rest: number;
  /** Those of the hosts: all, or one more than there are tags. */
  readonly matches: ReadonlySet<number>;
}

/** The hosts: their mixed words, and their tags if they have several matches. */
interface HostColumns {
  readonly mixes: Uint32Array;
  readonly tags: Uint8Array | null;
}

/**
 * Visits the segments in order: those of few addresses are runs of hosts, unless they have the match of what is left
 * around them, or none; the others are left.
 */
function* visiting(
  { starts, matches, count }: Segments,
  visitRun: (from: number, end: number, match: number) => void,
  visitRest: (segment: number) => void,
): Steps<void> {
  let around = -1;
  for (let i = 0; i < count; i++) {
    if (i % STEP === 0) yield;
    const match = matches[i]!;
    if (match === around) continue;
    const from = starts[i]!;
    const end = i + 1 < count ? starts[i + 1]! : 2 ** 32;
    if (i > 0 && match !== 0 && end - from <= LONGEST_RUN) visitRun(from, end, match);
    else {
      visitRest(i);
      around = match;
    }
  }
}

function* countingHosts(segments: Segments): Steps<HostCounts> {
  const matches = new Set<number>();
  const counts = { hosts: 0, runs: 0, rest: 0, matches };
  yield* visiting(
    segments,
    (from, end, match) => {
      if (matches.size <= MOST_TAGS) matches.add(match);
      counts.hosts += end - from;
      counts.runs++;
    },
    () => void counts.rest++,
  );
  return counts;
}

/** What is left, as segments of their own. */
function* restOf(segments: Segments, count: number): Steps<Segments> {
  const rest: Segments = {
    family: 4,
    wordsPerKey: 1,
    starts: new Uint32Array(count),
    matches: new Int32Array(count),
    count,
  };
  let at = 0;
  yield* visiting(
    segments,
    () => {},
    (segment) => {
      rest.starts[at] = segments.starts[segment]!;
      rest.matches[at++] = segments.matches[segment]!;
    },
  );
  return rest;
}

/**
 * Writes the columns bucket by bucket, and returns where each begins; null if one has too many. A counting sort: `starts`
 * counts first, and then moves from the end of each bucket to its start.
 */
function* groupingHosts(
  segments: Segments,
  buckets: number,
  { mixes, tags }: HostColumns,
  tagged: readonly number[],
): Steps<Uint32Array | null> {
  const tagOf = new Map(tagged.map((match, tag) => [match, tag]));
  const starts = new Uint32Array(buckets + 1);
  yield* visitingHosts(segments, (mix) => void starts[bucketOf(mix, buckets)]!++);
  let end = 0;
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (bucket % STEP === 0) yield;
    if (starts[bucket]! > MOST_IN_BUCKET) return null;
    end += starts[bucket]!;
    starts[bucket] = end;
  }
  starts[buckets] = end;
  yield* visitingHosts(segments, (mix, match) => {
    const at = --starts[bucketOf(mix, buckets)]!;
    mixes[at] = mix;
    if (tags !== null) tags[at] = tagOf.get(match)!;
  });
  return starts;
}

function* visitingHosts(segments: Segments, visit: (mix: number, match: number) => void): Steps<void> {
  yield* visiting(
    segments,
    (from, end, match) => {
      for (let host = from; host < end; host++) visit(mixed(host), match);
    },
    () => {},
  );
}

function overflowOf(starts: Uint32Array, room: number): number {
  let overflow = 0;
  for (let bucket = 0; bucket + 1 < starts.length; bucket++)
    overflow += Math.max(0, starts[bucket + 1]! - starts[bucket]! - room);
  return overflow;
}

/** Sorts the hosts of each bucket by their mixed words, which is by their keys. Some twenty each: by insertion. */
function* sortingBuckets(starts: Uint32Array, { mixes, tags }: HostColumns): Steps<void> {
  for (let bucket = 0; bucket + 1 < starts.length; bucket++) {
    if (bucket % (STEP >>> 4) === 0) yield;
    const [from, end] = [starts[bucket]!, starts[bucket + 1]!];
    for (let next = from + 1; next < end; next++) {
      const mix = mixes[next]!;
      const tag = tags?.[next] ?? 0;
      let at = next;
      for (; at > from && mixes[at - 1]! > mix; at--) {
        mixes[at] = mixes[at - 1]!;
        if (tags !== null) tags[at] = tags[at - 1]!;
      }
      mixes[at] = mix;
      if (tags !== null) tags[at] = tag;
    }
  }
}

function* writingHosts(
  words: Int32Array,
  form: HostsForm,
  starts: Uint32Array,
  { mixes, tags }: HostColumns,
  tagged: readonly number[],
): Steps<void> {
  const { buckets, overflow } = form;
  const room = keysOfBuckets(form);
  const halves = new Uint16Array(words.buffer, words.byteOffset, 2 * words.length);
  const bytes = new Uint8Array(words.buffer, words.byteOffset, 4 * words.length);
  let next = BUCKET_WORDS * buckets; // in the overflow
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (bucket % (STEP >>> 4) === 0) yield;
    const [from, end] = [starts[bucket]!, starts[bucket + 1]!];
    const count = Math.min(end - from, room);
    const at = BUCKET_WORDS * bucket;
    words[at] = count | (end - from > count ? BUCKET_OVERFLOWS : 0);
    const keys = 2 * at + 2;
    for (let i = 0; i < room; i++) halves[keys + i] = i < count ? keyOf(mixes[from + i]!, buckets) : 0xffff;
    for (let host = from + count; host < end; host++) {
      words[next] = mixes[host]!;
      if (tags !== null) words[next + overflow] = tagged[tags[host]!]!;
      next++;
    }
    if (tags !== null) bytes.set(tags.subarray(from, from + count), 4 * at + BUCKET_TAGS);
  }
  words.set(tagged, tagsAt(form));
}
