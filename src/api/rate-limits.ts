import { parseAddress } from "../address/parse-address.ts";
import { formatPrefix, prefixOf } from "../address/prefix.ts";

const MINUTE = 60_000;

/** How much of a window is left. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until it ends, at least 1. */
  readonly reset: number;
}

/** What a window says of one request that counted in it. */
export interface Taken {
  readonly isExceeded: boolean;
  readonly name: "minute" | "month";
  readonly limit: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfter: number;
  /** `RateLimit-Limit`, `-Remaining` and `-Reset`, of the window that has less left. */
  readonly headers: Readonly<Record<string, string>>;
}

function taken(name: "minute" | "month", used: number, limit: number, end: number, now: number): Taken {
  const retryAfter = Math.max(1, Math.ceil((end - now) / 1000));
  const headers = { "ratelimit-limit": String(limit), "ratelimit-remaining": String(Math.max(0, limit - used)), "ratelimit-reset": String(retryAfter) };
  return { isExceeded: used > limit, name, limit, retryAfter, headers };
}

interface Windows {
  minute: number;
  inMinute: number;
  /** `YYYY-MM` as a number of months. */
  month: number;
  inMonth: number;
  /** Counted, but not recorded yet. */
  unrecorded: number;
  lastUsedAt: number;
}

/** The requests of one key that the store does not know of yet. */
export interface UnrecordedUse {
  readonly keyId: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly requests: number;
  readonly lastUsedAt: number;
}

/** Requests per key in two windows, the minute and the calendar month (UTC). A request that is refused counts in neither. */
export class KeyLimits {
  readonly #windows = new Map<string, Windows>();
  /** Of a month that is over: still to be recorded. */
  #left: UnrecordedUse[] = [];

  take(keyId: string, now: number, perMinute: number, perMonth: number): Taken {
    const windows = this.#at(keyId, now);
    const monthIsOver = windows.inMonth >= perMonth;
    const isExceeded = monthIsOver || windows.inMinute >= perMinute;
    if (!isExceeded) {
      windows.inMinute++;
      windows.inMonth++;
      windows.unrecorded++;
      windows.lastUsedAt = now;
    }
    const extra = isExceeded ? 1 : 0;
    const monthDecides = isExceeded ? monthIsOver : perMonth - windows.inMonth < perMinute - windows.inMinute;
    if (monthDecides) return taken("month", windows.inMonth + extra, perMonth, monthStart(windows.month + 1), now);
    return taken("minute", windows.inMinute + extra, perMinute, (windows.minute + 1) * MINUTE, now);
  }

  /** The windows of a key, without counting: `inMonth` are its requests of the month, by all servers. */
  peek(keyId: string, now: number, perMinute: number, perMonth: number): { readonly inMonth: number; readonly minute: WindowState; readonly month: WindowState } {
    const { inMinute, inMonth, minute, month } = this.#at(keyId, now);
    const state = (used: number, limit: number, end: number): WindowState => ({ limit, remaining: Math.max(0, limit - used), reset: Math.max(1, Math.ceil((end - now) / 1000)) });
    return { inMonth, minute: state(inMinute, perMinute, (minute + 1) * MINUTE), month: state(inMonth, perMonth, monthStart(month + 1)) };
  }

  /** Sets how many requests all servers together have recorded in the month. */
  setRecorded(keyId: string, month: string, requests: number, now: number): void {
    const windows = this.#at(keyId, now);
    if (monthName(windows.month) === month) windows.inMonth = requests + windows.unrecorded;
  }

  /** What has to be recorded; it counts as recorded from now on. `giveBack` undoes that. */
  takeUnrecorded(): UnrecordedUse[] {
    const uses = this.#left;
    this.#left = [];
    for (const [keyId, windows] of this.#windows) {
      if (windows.unrecorded === 0) continue;
      uses.push({ keyId, month: monthName(windows.month), requests: windows.unrecorded, lastUsedAt: windows.lastUsedAt });
      windows.unrecorded = 0;
    }
    return uses;
  }

  /** What takeUnrecorded would give of this key: requests of `month`, and when the last one came; null where there are none. */
  unrecordedOf(keyId: string, month: string): { readonly requests: number; readonly lastUsedAt: number } | null {
    const windows = this.#windows.get(keyId);
    if (windows === undefined || windows.unrecorded === 0) return null;
    return { requests: monthName(windows.month) === month ? windows.unrecorded : 0, lastUsedAt: windows.lastUsedAt };
  }

  giveBack(uses: readonly UnrecordedUse[]): void {
    this.#left.push(...uses);
  }

  #at(keyId: string, now: number): Windows {
    const minute = Math.floor(now / MINUTE);
    let windows = this.#windows.get(keyId);
    if (windows === undefined) this.#windows.set(keyId, (windows = { minute, inMinute: 0, month: monthOf(now), inMonth: 0, unrecorded: 0, lastUsedAt: 0 }));
    if (windows.minute === minute) return windows;
    windows.minute = minute;
    windows.inMinute = 0;
    const month = monthOf(now);
    if (windows.month === month) return windows;
    const { unrecorded: requests, lastUsedAt } = windows;
    if (requests > 0) this.#left.push({ keyId, month: monthName(windows.month), requests, lastUsedAt });
    return Object.assign(windows, { month, inMonth: 0, unrecorded: 0 });
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
export function monthName(month: number): string {
  return new Date(monthStart(month)).toISOString().slice(0, 7);
}

const MOST_ADDRESSES = 100_000;

/** Requests without a good key, per minute and address; IPv6 addresses of one /56 count as one, since one customer has all of them. */
export class FailureLimits {
  #minute = -1;
  readonly #counts = new Map<string, number>();

  /** Counts a request. */
  take(address: string, now: number, perMinute: number): Taken {
    this.#advance(now);
    // Beyond so many addresses in one minute, the others share a count.
    const origin = originOf(address);
    const counted = this.#counts.has(origin) || this.#counts.size < MOST_ADDRESSES ? origin : "";
    const used = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, used);
    return taken("minute", used, perMinute, (this.#minute + 1) * MINUTE, now);
  }

  /** Tells of the window without counting. */
  peek(address: string, now: number, perMinute: number): Taken {
    this.#advance(now);
    return taken("minute", this.#counts.get(originOf(address)) ?? 0, perMinute, (this.#minute + 1) * MINUTE, now);
  }

  #advance(now: number): void {
    const minute = Math.floor(now / MINUTE);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#counts.clear();
  }
}

const CUSTOMER_BITS = 56;

function originOf(text: string): string {
  try {
    const zone = text.indexOf("%");
    const address = parseAddress(zone < 0 ? text : text.slice(0, zone));
    return address.family === 4 ? text : formatPrefix(prefixOf(address, CUSTOMER_BITS));
  } catch {
    return text;
  }
}
