/** The form in which users' names are compared: compatible characters, and upper and lower case, are equal. */
export function keyOfName(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
