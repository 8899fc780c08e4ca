const V4 =
  /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\d|\.\d)(?:\/\d{1,2}(?![\d/]))?/;
/** With a gap, or whole: `12:00:01` is a time. */
const V6 =
  /(?<![\w:.])(?:(?:[\da-f]{1,4}:){7}[\da-f]{1,4}|(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,6})?::(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,6})?)(?![\w:])(?:\/\d{1,3}(?![\d/]))?/i;

/**
 * What a pasted text asks about: the address of a URL, of `host:port`, or the first one in a line of a log; of addresses
 * written as `203.0.113[.]7`, too. A text that is one already, or has none, stays as it is.
 */
export function addressIn(pasted: string): string {
  const text = pasted.trim();
  // Whatever looks like one address or prefix is left to the server, which says what is wrong with it.
  if (/^[\da-f.:]+(?:\/\d*)?$/i.test(text) && !/^[\d.]+:\d+$/.test(text)) return text;
  const whole = text.replaceAll(/\[(\.|:|dot)\]/gi, (_, sign: string) => (sign === ":" ? ":" : "."));
  const found = [V4, V6].map((form) => form.exec(whole)).filter((match) => match !== null);
  const [first] = found.sort((one, other) => one.index - other.index);
  if (first === undefined) return text;
  const [address] = first;
  // In a URL, what follows the slash is its path.
  const isInUrl = /^[a-z][a-z\d+.-]*:\/\/\S*$/i.test(whole.slice(0, first.index).split(/\s/).at(-1)!);
  return isInUrl ? address.replace(/\/.*$/, "") : address;
}
