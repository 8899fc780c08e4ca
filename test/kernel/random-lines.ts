import type { Random } from "../../bench/data/random.ts";
import { LOG_LINES } from "../cases/log-lines.ts";

const GLUE = [
  " ",
  ",",
  "/",
  "-",
  "[",
  "]",
  '"',
  "\r",
  "\t",
  "\0",
  "%",
  "=",
  "\x80",
  "\xff",
  "\xe2\x80",
  "{",
  "}",
  ":",
  "::",
  ":::",
  ".",
  "...",
  "_",
  "a",
  "G",
  "ip",
  ":80",
  "::ffff:",
  "Chrome/",
  ":58430",
  ".443",
  "\\",
  "\\t",
  "\\\\u003c",
  "\\x22",
  "\\011",
  "\\/",
  "%22",
  "%2F",
  "%25",
  "#011",
  "#",
  "\x1b[32m",
  "\\u001b[1;",
  "31m",
  ";",
];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

export function randomQuad(random: Random): string {
  const octet = () => random.word() >>> (24 + random.below(8));
  return `${octet()}.${octet()}.${octet()}.${octet()}`;
}

export function randomIpv6(random: Random): string {
  const count = random.below(4) === 0 ? 8 : 1 + random.below(8);
  const groups = Array.from({ length: count }, () => (random.word() >>> (16 + random.below(16))).toString(16));
  if (count < 8 || random.below(8) === 0) groups[random.below(count)] = pick(random, ["", ":", "", "0"]);
  const text = groups.join(":");
  const opened = count < 8 ? (text.startsWith(":") ? `:${text}` : text.endsWith(":") ? `${text}:` : text) : text;
  return random.below(6) === 0 ? opened.toUpperCase() : opened;
}

/** A part of a line: an address, something close to one, or what surrounds them. */
function randomPart(random: Random): string {
  const kind = random.below(12);
  if (kind < 3) return randomQuad(random);
  if (kind < 6) return randomIpv6(random);
  if (kind === 6)
    return [
      random.below(300),
      random.below(12),
      pick(random, ["0", "00", "01", "256", "", "1000"]),
      random.below(256),
    ].join(".");
  if (kind === 7) return `${randomIpv6(random)}:${randomQuad(random)}`;
  if (kind === 8) return pick(random, ["12:34:56", "120.0.0.0", "std::x", "00:11:22:33:44:55", "GET", "example.net"]);
  return pick(random, GLUE);
}

/**
 * A line in latin1, without the newline: mostly with an address at the start, sometimes a random mix, a case of the
 * table, or random bytes.
 */
export function randomLine(random: Random): string {
  const kind = random.below(20);
  if (kind < 6) return randomQuad(random);
  if (kind < 8) return `${randomQuad(random)}${pick(random, GLUE)}`;
  if (kind < 10)
    return `${randomQuad(random)} - - [31/Jan/2024:12:34:56 +0000] "GET / HTTP/1.1" 200 ${random.below(99999)} "-" "${"x".repeat(random.below(200))}"`;
  if (kind < 13) return randomIpv6(random);
  if (kind === 13) return `${randomIpv6(random)}${pick(random, GLUE)}`;
  if (kind === 14) return pick(random, LOG_LINES).line;
  if (kind === 15) return Array.from({ length: 4 }, () => String(random.below(100)).padStart(2, "0")).join(".");
  if (kind === 16)
    return Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)))
      .toString("latin1")
      .replaceAll("\n", " ");
  return (
    Array.from({ length: random.below(9) }, () => randomPart(random)).join("") + (random.below(4) === 0 ? "\r" : "")
  );
}
