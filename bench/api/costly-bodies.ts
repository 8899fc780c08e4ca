import { Random } from "../data/random.ts";

/** Addresses that lists are made of: from 16.0.0.0 to 63.255.255.255, which contain no special-purpose addresses. */
const FIRST = 0x10000000;
const COUNT = 0x30000000;
/** The longest name of a rule. */
const MAX_NAME_LENGTH = "n".repeat(255);

function textOf(word: number): string {
  return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
}

/** Distinct addresses in no order. The stride is odd, so none occurs twice. */
export function addresses(count: number, seed = 1): string[] {
  const start = new Random(seed).below(COUNT);
  return Array.from({ length: count }, (_, index) => textOf((FIRST + ((start + index * 40_503) % COUNT)) >>> 0));
}

/** A text of lines, cut after the last one that is within the limit. */
function withinLimit(lines: Iterable<string>, bytes: number, head = ""): Buffer {
  const parts = [head];
  let length = head.length;
  for (const line of lines) {
    length += line.length;
    if (length > bytes) break;
    parts.push(line);
  }
  return Buffer.from(parts.join(""));
}

export type ListType = "application/json" | "text/plain" | "text/csv" | "application/x-ndjson";

/**
 * A list of so many rules, or as many as the limit permits, in one of the forms that lists have. Names differ with the
 * seed, because importing the same list again changes nothing.
 */
export function listOfRules(type: ListType, count: number, bytes: number, seed: number): Buffer {
  const ips = addresses(count, type === "text/plain" ? seed : 1);
  const name = `list ${seed}`;
  switch (type) {
    case "text/plain":
      return withinLimit(
        ips.map((ip) => `${ip}\n`),
        bytes,
      );
    case "text/csv":
      return withinLimit(
        ips.map((ip) => `${ip},${name}\n`),
        bytes,
        "ip,name\n",
      );
    case "application/x-ndjson":
      return withinLimit(
        ips.map((ip) => `{"ip":"${ip}","name":"${name}"}\n`),
        bytes,
      );
    case "application/json": {
      const whole = withinLimit(
        ips.map((ip) => `{"ip":"${ip}","name":"${name}"},`),
        bytes - 16,
        '{"rules":[',
      ).toString();
      return Buffer.from(`${whole.replace(/,$/, "")}]}`);
    }
  }
}

/** Lines none of which is a rule. */
export function invalidLines(bytes: number): Buffer {
  return Buffer.alloc(bytes, "1.2.3.4.5,x\n");
}

/** One line without an end. */
export function endlessLine(bytes: number): Buffer {
  return Buffer.alloc(bytes, "1.2.3.4 ");
}

/** Items of a batch with the longest names. */
export function batch(count: number, seed: number, mode: "override" | "fail" = "override"): Buffer {
  const items = addresses(count, 2).map((ip, index) => ({
    op: "add",
    ip,
    name: `${seed} ${index} ${MAX_NAME_LENGTH}`.slice(0, 255),
    conflict_resolution: mode,
  }));
  return Buffer.from(JSON.stringify({ items }));
}

/** Bodies that are wrong throughout, by their content; `member` is the one that holds the list. */
export const FILLINGS: Readonly<Record<string, (bytes: number, member: string) => Buffer>> = {
  "`1,`": (bytes, member) => filled(`{"${member}":[`, "1,", "1]}", bytes),
  "`{},`": (bytes, member) => filled(`{"${member}":[`, "{},", "{}]}", bytes),
  "`[`": (bytes) => Buffer.alloc(bytes, "["),
  "unknown members": (bytes, member) => unknownMembers(bytes, member),
  "one long text": (bytes, member) => filled(`{"${member}":["`, "1", '"]}', bytes),
};

function filled(head: string, unit: string, end: string, bytes: number): Buffer {
  const count = Math.max(0, Math.floor((bytes - head.length - end.length) / unit.length));
  return Buffer.concat([Buffer.from(head), Buffer.alloc(count * unit.length, unit), Buffer.from(end)]);
}

function unknownMembers(bytes: number, member: string): Buffer {
  function* members(): Generator<string> {
    for (let index = 0; ; index++) yield `"m${index.toString(36)}":0,`;
  }
  return Buffer.concat([withinLimit(members(), bytes - member.length - 8, "{"), Buffer.from(`"${member}":[]}`)]);
}

/** A log of so many bytes, with addresses that are in the catalogue. */
export function log(bytes: number): Buffer {
  const lines = addresses(10_000, 5).map(
    (ip, index) =>
      `${index % 3 === 0 ? "1.1.1.1" : ip} - - [31/Jan/2024:12:34:56 +0000] "GET /index.html HTTP/1.1" 200 612 "-" "Mozilla/5.0"\n`,
  );
  return Buffer.alloc(bytes, lines.join(""));
}
