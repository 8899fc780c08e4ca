/**
 * How the prefix of a rule that was found stands to the address that was searched for: both are related, so their
 * lengths say.
 */
export function relationOf(found: string, searched: string): "covers it" | "the same" | "within it" {
  // An IPv4 address may be searched for as `::ffff:192.0.2.1`.
  const isMapped = searched.includes(":") && !found.includes(":");
  const [length, wanted] = [lengthOf(found), lengthOf(searched) - (isMapped ? 96 : 0)];
  return length < wanted ? "covers it" : length > wanted ? "within it" : "the same";
}

function lengthOf(prefix: string): number {
  const [address = "", length] = prefix.split("/");
  return length === undefined ? (address.includes(":") ? 128 : 32) : Number(length);
}
