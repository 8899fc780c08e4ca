/** The name without its ending, which takes two characters of the 31 that the kernel allows a set. @throws RangeError for what needs quotes or is too long */
export function checkSetName(name: string): string {
  if (/^[A-Za-z][A-Za-z0-9_]{0,28}$/.test(name)) return name;
  throw new RangeError(`The name of a set is a letter, then up to 28 letters, digits and underscores, not ${JSON.stringify(name)}`);
}
