/** Text from a feed or file may contain anything: it must not move the cursor or begin a line. */
export function oneLine(value: unknown): string {
  return String(value).replace(
    // oxlint-disable-next-line no-control-regex -- they are what it looks for
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
