const MAX_CHARACTERS = 80;

/**
 * A name as a comment of any format: letters without marks, digits, spaces, dots, underscores and hyphens, from the first letter or digit on. Nothing that
 * ends a line, a quoted text or a comment, or begins another directive, in any of the formats.
 */
export function commentOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, " ")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, MAX_CHARACTERS)
    .trim();
  return words === "" ? "ipsieve" : words;
}
