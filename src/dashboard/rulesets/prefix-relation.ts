/** The relation of a found rule's prefix to the searched address: one covers the other, so their lengths decide. */
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
