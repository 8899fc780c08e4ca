/** As one word of a POSIX shell, in quotes if it needs them. */
export function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : quotedWord(text);
}

/** As one word of a POSIX shell, always in quotes. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
