import { hash, randomBytes } from "node:crypto";
import { parseAddress } from "../../address/parse-address.ts";
import { formatPrefix, prefixOf } from "../../address/prefix.ts";
import { type Area, AREAS } from "../../store/state.ts";

export const MINUTE = 60_000;

/** How often one client was counted; `who` is the name that all servers use for it. */
export type Count = readonly [who: string, count: number];

/** Counts of the current minute that servers exchange. */
export interface SharedCounts {
  /** Counts of this minute that have not been taken yet. */
  takeUnshared(): Count[];
  /** Adds what another server has counted, unless `minute` is not the current one. */
  addOthers(minute: number, counts: readonly Count[], now: number): void;
}

/** How much of a window is left. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until it ends, at least 1. */
  readonly reset: number;
}

/** The state of a window after one request was counted in it. */
export interface Taken {
  readonly isExceeded: boolean;
  readonly name: "minute" | "month";
  readonly limit: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfter: number;
  /** `RateLimit-Limit`, `-Remaining` and `-Reset` of the window that has less left. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `left`: milliseconds until the window ends. */
function taken(name: "minute" | "month", used: number, limit: number, left: number): Taken {
  const retryAfter = secondsOf(left);
  const headers = {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(Math.max(0, limit - used)),
    "ratelimit-reset": String(retryAfter),
  };
  return { isExceeded: used > limit, name, limit, retryAfter, headers };
}

function secondsOf(left: number): number {
  return Math.max(1, Math.ceil(left / 1000));
}

/**
 * Time that never goes back: if the clock is set back, it continues from where it was, at the clock's speed. So a
 * window that has ended stays ended, and the next one begins a minute later, not when the clock has caught up.
 */
export class SteadyClock {
  readonly #now: () => number;
  #last = -Infinity;
  #ahead = 0;

  /** `now`: the clock, in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  read(): number {
    const now = this.#now();
    if (now < this.#last) this.#ahead += this.#last - now;
    this.#last = now;
    return now + this.#ahead;
  }
}

/** How many requests were made in a calendar month. */
interface MonthCount {
  /** `YYYY-MM` as a number of months. */
  readonly month: number;
  readonly requests: number;
}

interface Windows {
  readonly keyId: string;
  readonly area: Area;
  minute: number;
  /** Requests counted by all servers, as far as this server knows. */
  inMinute: number;
  /** Counted here in this minute, and not yet taken by `takeUnshared`. */
  unshared: number;
  /** `YYYY-MM` as a number of months. */
  month: number;
  inMonth: number;
  /**
   * The previous month; or the next one, if the clock was set back. Its count continues when that month comes again.
   */
  otherMonth: MonthCount | undefined;
  /** Counted, but not recorded yet. */
  unrecorded: number;
  lastUsedAt: number;
}

/** The requests of one key under one plan that the store does not have yet. */
export interface UnrecordedUse {
  readonly keyId: string;
  readonly area: Area;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly requests: number;
  readonly lastUsedAt: number;
}

/** How many requests a window allows. */
export interface Allowance {
  readonly perMinute: number;
  readonly perMonth: number;
}

/**
 * Requests per key and plan in two windows, the minute and the calendar month (UTC): requests under one plan do not use
 * up what another allows. A rejected request counts in neither window.
 */
export class KeyLimits implements SharedCounts {
  readonly #steady: SteadyClock;
  /** By area, then by key: a combined text would have to be made and hashed for every request. */
  readonly #windows: Readonly<Record<Area, Map<string, Windows>>> = { edl: new Map(), cbs: new Map(), cti: new Map() };
  /** Counters whose `unshared` may be other than 0. */
  #unshared = new Set<Windows>();
  /** Counts of a month that is over, still to be recorded. */
  #left: UnrecordedUse[] = [];

  /** Minutes are those of `steady`; months are the calendar's, by the `now` of each call. */
  constructor(steady: SteadyClock) {
    this.#steady = steady;
  }

  take(keyId: string, area: Area, now: number, { perMinute, perMonth }: Allowance): Taken {
    const steady = this.#steady.read();
    const windows = this.#at(keyId, area, now, steady);
    const monthIsOver = windows.inMonth >= perMonth;
    const isExceeded = monthIsOver || windows.inMinute >= perMinute;
    if (!isExceeded) {
      windows.inMinute++;
      windows.inMonth++;
      windows.unrecorded++;
      if (windows.unshared++ === 0) this.#unshared.add(windows);
      windows.lastUsedAt = now;
    }
    const extra = isExceeded ? 1 : 0;
    const monthDecides = isExceeded ? monthIsOver : perMonth - windows.inMonth < perMinute - windows.inMinute;
    if (monthDecides) return taken("month", windows.inMonth + extra, perMonth, monthStart(windows.month + 1) - now);
    return taken("minute", windows.inMinute + extra, perMinute, (windows.minute + 1) * MINUTE - steady);
  }

  /**
   * The windows of a key under a plan, without counting; `inMonth` is the number of its requests of the month on all
   * servers.
   */
  peek(
    keyId: string,
    area: Area,
    now: number,
    { perMinute, perMonth }: Allowance,
  ): { readonly inMonth: number; readonly minute: WindowState; readonly month: WindowState } {
    const steady = this.#steady.read();
    const { inMinute, inMonth, minute, month } = this.#at(keyId, area, now, steady);
    const state = (used: number, limit: number, left: number): WindowState => ({
      limit,
      remaining: Math.max(0, limit - used),
      reset: secondsOf(left),
    });
    return {
      inMonth,
      minute: state(inMinute, perMinute, (minute + 1) * MINUTE - steady),
      month: state(inMonth, perMonth, monthStart(month + 1) - now),
    };
  }

  /** Sets how many requests all servers together have recorded in the month. */
  setRecorded(keyId: string, area: Area, month: string, requests: number, now: number): void {
    const windows = this.#at(keyId, area, now, this.#steady.read());
    if (monthName(windows.month) === month) windows.inMonth = requests + windows.unrecorded;
  }

  /** Counts that have to be recorded; they count as recorded from now on. `giveBack` undoes that. */
  takeUnrecorded(): UnrecordedUse[] {
    const uses = this.#left;
    this.#left = [];
    for (const area of AREAS) {
      for (const [keyId, windows] of this.#windows[area]) {
        if (windows.unrecorded === 0) continue;
        uses.push({
          keyId,
          area,
          month: monthName(windows.month),
          requests: windows.unrecorded,
          lastUsedAt: windows.lastUsedAt,
        });
        windows.unrecorded = 0;
      }
    }
    return uses;
  }

  /**
   * What takeUnrecorded would return for this key, under all plans: the requests of `month`, and when the last one
   * arrived; null if there are none.
   */
  unrecordedOf(keyId: string, month: string): { readonly requests: number; readonly lastUsedAt: number } | null {
    const used = AREAS.map((area) => this.#windows[area].get(keyId)).filter(
      (windows) => windows !== undefined && windows.unrecorded > 0,
    ) as Windows[];
    if (used.length === 0) return null;
    const ofMonth = used.filter((windows) => monthName(windows.month) === month);
    return {
      requests: ofMonth.reduce((sum, { unrecorded }) => sum + unrecorded, 0),
      lastUsedAt: Math.max(...used.map(({ lastUsedAt }) => lastUsedAt)),
    };
  }

  giveBack(uses: readonly UnrecordedUse[]): void {
    this.#left.push(...uses);
  }

  takeUnshared(): Count[] {
    const minute = Math.floor(this.#steady.read() / MINUTE);
    const counts: Count[] = [];
    for (const windows of this.#unshared) {
      if (windows.minute === minute) counts.push([`${windows.area} ${windows.keyId}`, windows.unshared]);
      windows.unshared = 0;
    }
    this.#unshared.clear();
    return counts;
  }

  addOthers(minute: number, counts: readonly Count[], now: number): void {
    const steady = this.#steady.read();
    if (Math.floor(steady / MINUTE) !== minute) return;
    for (const [who, count] of counts) {
      const [area, keyId] = who.split(" ") as [Area, string];
      if (AREAS.includes(area)) this.#at(keyId, area, now, steady).inMinute += count;
    }
  }

  #at(keyId: string, area: Area, now: number, steady: number): Windows {
    const minute = Math.floor(steady / MINUTE);
    const byKey = this.#windows[area];
    let windows = byKey.get(keyId);
    if (windows === undefined)
      byKey.set(
        keyId,
        (windows = {
          keyId,
          area,
          minute,
          inMinute: 0,
          unshared: 0,
          month: monthOf(now),
          inMonth: 0,
          otherMonth: undefined,
          unrecorded: 0,
          lastUsedAt: 0,
        }),
      );
    if (windows.minute === minute) return windows;
    windows.minute = minute;
    windows.inMinute = 0;
    windows.unshared = 0;
    const month = monthOf(now);
    return windows.month === month ? windows : this.#changeMonth(keyId, area, windows, month);
  }

  #changeMonth(keyId: string, area: Area, windows: Windows, next: number): Windows {
    const { month, inMonth, otherMonth, unrecorded: requests, lastUsedAt } = windows;
    if (requests > 0) this.#left.push({ keyId, area, month: monthName(month), requests, lastUsedAt });
    const counted = otherMonth?.month === next ? otherMonth.requests : 0;
    return Object.assign(windows, {
      month: next,
      inMonth: counted,
      otherMonth: { month, requests: inMonth },
      unrecorded: 0,
    });
  }
}

function monthOf(now: number): number {
  const date = new Date(now);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function monthStart(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12);
}

/** `YYYY-MM` */
function monthName(month: number): string {
  return new Date(monthStart(month)).toISOString().slice(0, 7);
}

/** Clients counted one by one in a minute. */
const MAX_COUNTED = 100_000;
/** Counters that all others share. */
const SHARED_COUNTS = 1 << 16;
/** How many clients are reported to other servers at a time. */
const MAX_UNSHARED = 1000;
/** A longer name is not an address, and is not reported to other servers. */
const MAX_LENGTH = 64;

/**
 * Counts the requests of each of many clients in a minute, in bounded memory. Nothing is forgotten before the minute is
 * over. Beyond 100,000 clients, further ones share counters, chosen by a hash with a secret: none of them gets more
 * than its limit, and no one can choose whom to share with.
 *
 * Other servers receive 1,000 counts at a time. Once half of that room is taken, a client gets in only if it has used
 * up enough of its limit: the less room is left, the more. So thousands of clients with one request each do not crowd
 * out the others.
 */
export class MinuteCounts implements SharedCounts {
  readonly #steady: SteadyClock;
  #minute = -1;
  readonly #counts = new Map<string, number>();
  readonly #shared = new Uint32Array(SHARED_COUNTS);
  readonly #secret = randomBytes(16).toString("hex");
  #unshared = new Map<string, number>();

  constructor(steady: SteadyClock) {
    this.#steady = steady;
  }

  /** Counts one more request of `who`. */
  take(who: string, perMinute: number): Taken {
    const left = this.#advance();
    const used = this.#add(who, 1);
    this.#share(who, used / perMinute);
    return taken("minute", used, perMinute, left);
  }

  takeUnshared(): Count[] {
    this.#advance();
    const counts = [...this.#unshared];
    this.#unshared = new Map();
    return counts;
  }

  addOthers(minute: number, counts: readonly Count[]): void {
    this.#advance();
    if (minute === this.#minute) for (const [who, count] of counts) this.#add(who, count);
  }

  /** The window as it is, without counting. */
  peek(who: string, perMinute: number): Taken {
    const left = this.#advance();
    return taken(
      "minute",
      this.#counts.get(who) ?? (this.#isFull ? this.#shared[this.#shareOf(who)]! : 0),
      perMinute,
      left,
    );
  }

  get #isFull(): boolean {
    return this.#counts.size >= MAX_COUNTED;
  }

  #add(who: string, added: number): number {
    const count = this.#counts.get(who);
    if (count === undefined && this.#isFull) return (this.#shared[this.#shareOf(who)]! += added);
    this.#counts.set(who, (count ?? 0) + added);
    return (count ?? 0) + added;
  }

  /** `use`: how much of the limit is used up; 1 is all of it. */
  #share(who: string, use: number): void {
    const count = this.#unshared.get(who);
    const fill = this.#unshared.size / MAX_UNSHARED;
    const hasRoom = count !== undefined || (fill < 1 && use >= 2 * fill - 1);
    if (hasRoom && who.length <= MAX_LENGTH) this.#unshared.set(who, (count ?? 0) + 1);
  }

  #shareOf(who: string): number {
    return parseInt(hash("sha256", this.#secret + who, "hex").slice(0, 8), 16) % SHARED_COUNTS;
  }

  /** Milliseconds left of the minute. */
  #advance(): number {
    const steady = this.#steady.read();
    const minute = Math.floor(steady / MINUTE);
    if (minute !== this.#minute) {
      if (this.#isFull) this.#shared.fill(0);
      this.#minute = minute;
      this.#counts.clear();
      this.#unshared.clear();
    }
    return (minute + 1) * MINUTE - steady;
  }
}

/**
 * Requests without a valid key, per minute and address; IPv6 addresses of one /56 count as one, since one customer has
 * all of them.
 */
export class FailureLimits {
  readonly counts: MinuteCounts;

  constructor(steady: SteadyClock) {
    this.counts = new MinuteCounts(steady);
  }

  /** Counts a request. */
  take(address: string, perMinute: number): Taken {
    return this.counts.take(originOf(address), perMinute);
  }

  /** The window as it is, without counting. */
  peek(address: string, perMinute: number): Taken {
    return this.counts.peek(originOf(address), perMinute);
  }
}

const CUSTOMER_BITS = 56;

/** The client that an address stands for: itself, or its /56. */
export function originOf(text: string): string {
  try {
    const zone = text.indexOf("%");
    const address = parseAddress(zone < 0 ? text : text.slice(0, zone));
    return address.family === 4 ? text : formatPrefix(prefixOf(address, CUSTOMER_BITS));
  } catch {
    return text;
  }
}
