/** What is read as a number. */
export const NUMBER: RegExp = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A date, perhaps with a time and its zone. */
export const DATE: RegExp = /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)?)?$/;
/** A relative time. */
export const RELATIVE: RegExp = /^(\d+)([hdwmy])$/;

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/;

/** Whether a text is printed without quotes: numbers, booleans, IPv4 addresses and prefixes, dates, relative times. */
export function isBare(text: string): boolean {
  if (text === "true" || text === "false" || NUMBER.test(text) || DATE.test(text)) return true;
  // Canonical relative times have no leading zeros; a text with them stays a text.
  if (RELATIVE.test(text)) return text === "0" + text.at(-1)! || !text.startsWith("0");
  const [, a, b, c, d, length = "0"] = IPV4.exec(text) ?? [];
  return a !== undefined && [a, b, c, d].every((octet) => Number(octet) <= 255) && Number(length) <= 32;
}
