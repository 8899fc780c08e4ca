/**
 * The bits of a prefix after its family, as the server writes prefixes: `4` or `6`, and a digit for each bit. In their
 * order a prefix is followed by those within it, which begin with its bits.
 */
export function prefixBits(prefix: string): string {
  const [address = "", length] = prefix.split("/");
  const isIpv6 = address.includes(":");
  const [radix, width] = isIpv6 ? [16, 16] : [10, 8];
  const bits = (isIpv6 ? ipv6Groups(address) : address.split("."))
    .map((group) => Number.parseInt(group, radix).toString(2).padStart(width, "0"))
    .join("");
  return (isIpv6 ? "6" : "4") + bits.slice(0, length === undefined ? undefined : Number(length));
}

function ipv6Groups(address: string): string[] {
  const [head = [], tail] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  return tail === undefined ? head : [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
}
