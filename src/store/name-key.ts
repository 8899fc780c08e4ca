/** By what users' names are compared: compatible characters and capitals are the same. */
export function keyOfName(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
