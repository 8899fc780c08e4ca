/**
 * When a line was written: the first date with a time of day in it, otherwise the first number of seconds,
 * milliseconds or microseconds since 1970.
 *
 *     2026-11-27T03:04:05.678+01:00    2026-11-27 03:04:05    2026/11/27 03:04:05     ISO 8601, W3C, nginx
 *     27/Nov/2026:03:04:05 +0100                                                      Common Log Format
 *     Nov 27 03:04:05                  Nov 27 03:04:05 2026   Nov 27 2026 03:04:05    RFC 3164, Apache's errors, Cisco
 *     27 Nov 2026 03:04:05             27-Nov-2026 03:04:05                           RFC 5322, BIND
 *     1795748645.678                   1795748645678            1795748645678901      Squid, Zeek, flow logs, journald
 *
 * All of the first four rows have hours and minutes in two digits around a colon. So colons are looked for, and what
 * stands before and after the digits is read: each byte is looked at a few times at most.
 */

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const [TAB, BLANK, COMMA, DOT, SLASH, COLON] = [0x09, 0x20, 0x2c, 0x2e, 0x2f, 0x3a];
const [PLUS, MINUS, UNDERSCORE, T, Z] = [0x2b, 0x2d, 0x5f, 0x54, 0x5a];
/** 2000-01-01: numbers below are no times. */
const FIRST_SECOND = 946_684_800;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** By the three letters of a name, in lower case, as one number. */
const MONTH_OF = new Map(MONTHS.map((name, at) => [letters(Buffer.from(name), 0), at + 1]));

/**
 * The time of the line `bytes[start, end)` in milliseconds since 1970, UTC, in whole seconds; NaN if it has none. A time
 * without a zone counts as UTC. Years are 1970 to 2099. A time without a year is the last one that is at most a day after `latest`, and so long
 * after it no number of seconds is a time. O(end - start).
 */
export function lineTime(bytes: Uint8Array, start: number, end: number, latest: number): number {
  for (let at = start + 3; at + 2 < end; at++) {
    if (bytes[at] !== COLON || !mayEndDay(bytes, at - 3)) continue;
    const [hour, minute] = [twoDigits(bytes, at - 2), twoDigits(bytes, at + 1)];
    if (hour > 23 || minute > 59) continue;
    const time = timeAround(bytes, start, end, at, latest);
    if (!Number.isNaN(time)) return time + hour * HOUR + minute * MINUTE;
  }
  return sinceEpoch(bytes, start, end, latest);
}

/** Whether a day may end before this byte: most colons, such as those of addresses, stand behind another byte. */
function mayEndDay(bytes: Uint8Array, at: number): boolean {
  const separator = bytes[at]!;
  if (separator === COLON) return bytes[at - 5] === SLASH;
  return separator === T || separator === BLANK || separator === TAB || separator === UNDERSCORE;
}

/** The beginning of the day, with the seconds and the zone, of a time of day whose first colon is at `at`. */
function timeAround(bytes: Uint8Array, start: number, end: number, at: number, latest: number): number {
  let after = at + 3;
  let second = 0;
  if (bytes[after] === COLON && after + 2 < end) {
    second = twoDigits(bytes, after + 1);
    if (second > 60) return NaN; // 60: a leap second
    after += 3;
    if (after + 1 < end && (bytes[after] === DOT || bytes[after] === COMMA) && isDigit(bytes[after + 1]!))
      for (after++; after < end && isDigit(bytes[after]!);) after++;
  }
  if (after < end && isDigit(bytes[after]!)) return NaN;
  const day = dayBefore(bytes, start, at - 3, yearAt(bytes, after, end), latest);
  return day + 1000 * second - zoneAt(bytes, after, end);
}

/** The year behind a time of day and a blank, as in Apache's error log; NaN if there is none. */
function yearAt(bytes: Uint8Array, after: number, end: number): number {
  if (after + 5 > end || bytes[after] !== BLANK) return NaN;
  return after + 5 < end && isWordByte(bytes[after + 5]!) ? NaN : fourDigits(bytes, after + 1);
}

/** The day whose text ends before the separator at `at`, which a time of day follows. */
function dayBefore(bytes: Uint8Array, start: number, at: number, yearBehind: number, latest: number): number {
  const separator = bytes[at]!;
  if (separator !== COLON) {
    const day = yearMonthDay(bytes, start, at - 10);
    if (!Number.isNaN(day) || separator !== BLANK) return day;
  }
  const year = at - 4 >= start ? fourDigits(bytes, at - 4) : NaN;
  if (Number.isNaN(year)) return separator === BLANK ? monthDay(bytes, start, at, yearBehind, latest) : NaN;
  const day = dayMonth(bytes, start, at - 5, year);
  if (separator === COLON) return day;
  if (!Number.isNaN(day) || at - 6 < start || bytes[at - 5] !== BLANK) return day;
  return monthDay(bytes, start, bytes[at - 6] === COMMA ? at - 6 : at - 5, year, latest);
}

/** `YYYY-MM-DD` or `YYYY/MM/DD` that begins at `first`. */
function yearMonthDay(bytes: Uint8Array, start: number, first: number): number {
  if (first < start || (first > start && isDigit(bytes[first - 1]!))) return NaN;
  const between = bytes[first + 4];
  if ((between !== MINUS && between !== SLASH) || bytes[first + 7] !== between) return NaN;
  return dayOf(fourDigits(bytes, first), twoDigits(bytes, first + 5), twoDigits(bytes, first + 8));
}

/** `DD/Mon`, `DD-Mon` or `DD Mon`, with the same byte at `at`, before a year. */
function dayMonth(bytes: Uint8Array, start: number, at: number, year: number): number {
  const between = bytes[at];
  if (at - 5 < start || bytes[at - 4] !== between) return NaN;
  if (between !== SLASH && between !== MINUS && between !== BLANK) return NaN;
  return dayOf(year, MONTH_OF.get(letters(bytes, at - 3)) ?? 0, dayNumber(bytes, start, at - 4));
}

/** `Mon DD`, `Mon  D` or `Mon D` that ends before `at`. Without a year: the last one that is not after `latest`. */
function monthDay(bytes: Uint8Array, start: number, at: number, year: number, latest: number): number {
  const day = dayNumber(bytes, start, at);
  let front = at - (at - 2 >= start && isDigit(bytes[at - 2]!) ? 3 : 2);
  if (front < start || bytes[front] !== BLANK) return NaN;
  if (front > start && bytes[front - 1] === BLANK) front--;
  if (front - 3 < start || (front - 3 > start && isWordByte(bytes[front - 4]!))) return NaN;
  const month = MONTH_OF.get(letters(bytes, front - 3)) ?? 0;
  if (month === 0 || !Number.isNaN(year)) return dayOf(year, month, day);
  const newest = new Date(latest + DAY).getUTCFullYear();
  // The 29th of February may be eight years ago.
  for (let guess = newest; guess > newest - 10; guess--) {
    const time = dayOf(guess, month, day);
    if (time <= latest + DAY) return time;
  }
  return NaN;
}

/** The number of one or two digits that ends before `at`; NaN if there is none. */
function dayNumber(bytes: Uint8Array, start: number, at: number): number {
  if (at - 2 >= start && isDigit(bytes[at - 2]!)) {
    return at - 3 >= start && isDigit(bytes[at - 3]!) ? NaN : twoDigits(bytes, at - 2);
  }
  return at - 1 >= start && isDigit(bytes[at - 1]!) ? bytes[at - 1]! - 0x30 : NaN;
}

/** The first moment of a day of the Gregorian calendar, from 1970 to 2099; NaN if there is no such day. */
function dayOf(year: number, month: number, day: number): number {
  if (!(year >= 1970 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return NaN;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  // 31 days: odd months up to July, even ones from August on.
  if (day > (month !== 2 ? 30 + ((month + (month >> 3)) & 1) : isLeap ? 29 : 28)) return NaN;
  // March is the first month, so that the day of a leap year is the last one: 153 days are five months.
  const shifted = month > 2 ? year : year - 1;
  const daysBefore = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const days = 365 * shifted + Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return (days + daysBefore - 719_468) * DAY;
}

/** What a zone such as `+01:00`, `-0700` or `Z` adds to UTC, behind one blank or none; 0 if there is none. */
function zoneAt(bytes: Uint8Array, after: number, end: number): number {
  const at = after < end && bytes[after] === BLANK ? after + 1 : after;
  if (at >= end || bytes[at] === Z || (bytes[at] !== PLUS && bytes[at] !== MINUS)) return 0;
  const hasColon = bytes[at + 3] === COLON;
  const stop = at + (hasColon ? 6 : 5);
  if (stop > end || (stop < end && isDigit(bytes[stop]!))) return 0;
  const [hours, minutes] = [twoDigits(bytes, at + 1), twoDigits(bytes, stop - 2)];
  if (!(hours <= 14 && minutes <= 59)) return 0;
  return (bytes[at] === PLUS ? 1 : -1) * (hours * HOUR + minutes * MINUTE);
}

/** The first word that is a number of ten digits, with or without a fraction, or of thirteen or sixteen. */
function sinceEpoch(bytes: Uint8Array, start: number, end: number, latest: number): number {
  for (let at = start; at < end; at++) {
    if (!isDigit(bytes[at]!)) continue;
    const first = at;
    while (at < end && isDigit(bytes[at]!)) at++;
    const digits = at - first;
    if (digits !== 10 && digits !== 13 && digits !== 16) continue;
    if (first > start && (isWordByte(bytes[first - 1]!) || isPart(bytes[first - 1]!))) continue;
    if (at < end && bytes[at] === DOT && digits === 10) for (at++; at < end && isDigit(bytes[at]!);) at++;
    if (at < end && (isWordByte(bytes[at]!) || isPart(bytes[at]!))) continue;
    let seconds = 0;
    for (let digit = first; digit < first + 10; digit++) seconds = 10 * seconds + bytes[digit]! - 0x30;
    if (seconds >= FIRST_SECOND && 1000 * seconds <= latest + DAY) return 1000 * seconds;
  }
  return NaN;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const [tens, ones] = [bytes[at]! - 0x30, bytes[at + 1]! - 0x30];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.POSITIVE_INFINITY;
}

function fourDigits(bytes: Uint8Array, at: number): number {
  const number = 100 * twoDigits(bytes, at) + twoDigits(bytes, at + 2);
  return number < 10_000 ? number : NaN;
}

function letters(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! | 0x20) << 16) | ((bytes[at + 1]! | 0x20) << 8) | (bytes[at + 2]! | 0x20);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isWordByte(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x7a) || byte === UNDERSCORE;
}

/** Between numbers that are one together: a version, a phone number, an address. */
function isPart(byte: number): boolean {
  return byte === DOT || byte === MINUS || byte === SLASH;
}
