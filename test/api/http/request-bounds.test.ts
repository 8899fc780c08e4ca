/** The ends of requests in random streams, cut at random: the generator knows them. */
import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { RequestBounds } from "../../../src/api/http/request-bounds.ts";
import { rounds } from "../../rounds.ts";

interface Message {
  readonly head: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

const EMPTY = "\r\n\r\n";
const FIRST_LINES = ["GET / HTTP/1.1\r\nA:", "POST /a HTTP/1.1\r\nHost: localhost\r\nX:"];
/** What a body may say: line ends and what looks like a request or the end of a body. */
const TEXTS = ["", "a", "\r\n", EMPTY, `0${EMPTY}`, `GET / HTTP/1.1${EMPTY}`, "x".repeat(2000), `{"ips":["1.1.1.1"]}`];

const choice = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)]!;

function textOf(random: Random): string {
  return Array.from({ length: random.below(5) }, () => choice(random, TEXTS)).join("");
}

function chunksOf(random: Random): string {
  let chunks = "";
  for (let count = random.below(4); count > 0; count--) {
    const data = textOf(random) || "data";
    const size = data.length.toString(16);
    chunks += `${choice(random, ["", "00"])}${choice(random, [size, size.toUpperCase()])}${choice(random, ["", ";a=b", ' ;0="ff"'])}\r\n${data}\r\n`;
  }
  const trailers = choice(random, ["", "X: 0\r\n", "A: b\r\nC: 10\r\n"]);
  return `${chunks}${choice(random, ["0", "000"])}${choice(random, ["", ";last"])}\r\n${trailers}\r\n`;
}

function messageOf(random: Random): Message {
  const head = `${choice(random, ["", "", "\r\n", EMPTY])}${choice(random, FIRST_LINES)}${"y".repeat(random.below(90))}${EMPTY}`;
  if (random.below(3) === 0) return { head, body: "", headers: {} };
  if (random.below(2) === 0) return { head, body: chunksOf(random), headers: { "transfer-encoding": "chunked" } };
  const body = textOf(random);
  return { head, body, headers: { "content-length": String(body.length) } };
}

/** The offsets at which heads and bodies end, and the framing of what follows each head. */
function endsOf(messages: readonly Message[]): Map<number, IncomingHttpHeaders | undefined> {
  const ends = new Map<number, IncomingHttpHeaders | undefined>();
  let at = 0;
  for (const { head, body, headers } of messages) {
    ends.set((at += head.length), headers);
    if (body !== "") ends.set((at += body.length), undefined);
  }
  return ends;
}

test("each head and each body ends where it ends, wherever the stream is cut", () => {
  const random = new Random(36);
  for (let round = rounds({ short: 2000, long: 20_000 }); round > 0; round--) {
    const messages = Array.from({ length: 1 + random.below(5) }, () => messageOf(random));
    const stream = Buffer.from(messages.map(({ head, body }) => head + body).join(""));
    const ends = endsOf(messages);
    const bounds = new RequestBounds();
    const found: number[] = [];
    const longest = choice(random, [1, 3, 40, 4000]);
    for (let from = 0, to: number; from < stream.length; from = to) {
      to = Math.min(from + 1 + random.below(longest), stream.length);
      const piece = stream.subarray(from, to);
      for (let at = 0; at < piece.length;) {
        const end = bounds.endOf(piece, at);
        if (end <= at) assert.fail(`no progress at ${from + at} of ${JSON.stringify(stream.toString())}`);
        at = end;
        if (!ends.has(from + at)) {
          if (at < piece.length) assert.fail(`an end at ${from + at} of ${JSON.stringify(stream.toString())}`);
          continue;
        }
        found.push(from + at);
        const headers = ends.get(from + at);
        if (headers !== undefined) bounds.begin(headers);
      }
    }
    assert.deepEqual(found, [...ends.keys()], JSON.stringify(stream.toString()));
  }
});
