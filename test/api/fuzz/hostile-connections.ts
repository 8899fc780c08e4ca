import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../snapshot/harness/sample.ts";

export interface HostileReport {
  connections: number;
  /** Complete responses, by status. */
  readonly byStatus: Record<string, number>;
  /** Connections that were closed without a response. */
  closed: number;
  /** Bytes that are not a response, and 5xx responses. */
  readonly failures: string[];
}

export interface HostileOptions {
  readonly url: string;
  readonly key: string;
  readonly random: Random;
  readonly connections: number;
  /** Milliseconds that the server waits for a client: 408 is right for a client that has taken longer. */
  readonly timeLimit: number;
  /** Milliseconds after which a connection that neither end closes is abandoned; a minute by default. */
  readonly patience?: number;
}

/** Bytes to send, in pieces with pauses between them. `closes`: the client hangs up after the last piece. */
interface Attack {
  readonly name: string;
  readonly pieces: readonly (string | Uint8Array)[];
  readonly pause?: number;
  readonly closes?: boolean;
  /** The maximum number of responses; unlimited by default. */
  readonly most?: number;
  /**
   * Statuses that the first response may have; by default any below 500. No response is right if the connection is
   * closed.
   */
  readonly wanted?: readonly number[];
}

/** Opens connections that only a malicious client opens, and checks that responses are HTTP and not 5xx. */
export async function attack({
  url,
  key,
  random,
  connections,
  timeLimit,
  patience = 60_000,
}: HostileOptions): Promise<HostileReport> {
  const report: HostileReport = { connections: 0, byStatus: {}, closed: 0, failures: [] };
  const kinds = attacksWith(key, random);
  const one = async (): Promise<void> => {
    while (report.connections < connections) {
      const attack = kinds[report.connections++ % kinds.length]!();
      const began = performance.now();
      const received = await exchange(url, attack, patience);
      judge(performance.now() - began < timeLimit ? attack : orLate(attack), received, report);
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
  return report;
}

const LIST = "/v1/edl/ip-rulesets/";
const BULK = "/v1/cti/bulk_lookup";

function attacksWith(key: string, random: Random): (() => Attack)[] {
  const head = (line: string, ...headers: string[]): string =>
    `${[line, "Host: localhost", `X-API-Key: ${key}`, ...headers].join("\r\n")}\r\n\r\n`;
  const get = (path: string, ...headers: string[]): string =>
    head(`GET ${path} HTTP/1.1`, "Connection: close", ...headers);
  const post = (path: string, ...headers: string[]): string =>
    head(`POST ${path} HTTP/1.1`, "Connection: close", "Content-Type: application/json", ...headers);
  const page = (path: string, ...headers: string[]): string =>
    head(
      `POST ${path} HTTP/1.1`,
      "Connection: close",
      "Content-Type: application/json",
      "Sec-Fetch-Site: same-origin",
      ...headers,
    );
  const noise = (length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256));
  const chunked = "Transfer-Encoding: chunked";
  return [
    () => ({ name: "noise", pieces: [noise(1 + random.below(4000)), "\r\n\r\n"], wanted: [400, 431] }),
    () => ({
      name: "a request with one byte changed",
      pieces: [flipped(Buffer.from(get(`${LIST}?page=1`)), random)],
      closes: random.below(2) === 0,
    }),
    () => ({
      name: "a body with one byte changed",
      pieces: [flipped(Buffer.from(`${post(BULK, "Content-Length: 13")}["192.0.2.1"]`), random)],
      closes: true,
    }),
    () => ({ name: "no line end", pieces: ["GET / HTTP/1.1"], closes: true }),
    () => ({ name: "HTTP/0.9", pieces: ["GET /none\r\n\r\n"], wanted: [400, 404] }),
    () => ({ name: "HTTP/3.0", pieces: [`GET ${LIST} HTTP/3.0\r\n\r\n`], wanted: [400, 505] }),
    () => ({
      name: "HTTP/1.0 without a host",
      pieces: [`GET ${LIST} HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`],
      wanted: [200],
    }),
    () => ({ name: "the preface of HTTP/2", pieces: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], wanted: [400] }),
    () => ({ name: "TLS", pieces: [Buffer.from("160301020001000", "hex"), noise(500), "\r\n\r\n"], wanted: [400] }),
    () => ({ name: "no host", pieces: [`GET ${LIST} HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`], wanted: [400] }),
    () => ({ name: "two hosts", pieces: [get(LIST, "Host: other")], wanted: [400] }),
    () => ({
      name: "a host that is none",
      pieces: [get(`${LIST}?page=9`).replace("Host: localhost", "Host: a b/../@%00")],
      wanted: [200, 400],
    }),
    () => ({ name: "* as target", pieces: [head("OPTIONS * HTTP/1.1", "Connection: close")], wanted: [400, 404, 405] }),
    () => ({ name: "a whole URL as target", pieces: [get(`http://localhost${LIST}`)], wanted: [200, 400, 404] }),
    () => ({ name: "CONNECT", pieces: [head("CONNECT example.org:443 HTTP/1.1")] }),
    () => ({
      name: "an upgrade",
      pieces: [get(LIST, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x")],
      wanted: [200, 400, 426],
    }),
    () => ({
      name: "Expect of something",
      pieces: [post(BULK, "Expect: a-miracle", "Content-Length: 2"), "[]"],
      wanted: [200, 417],
    }),
    () => ({
      name: "Expect: 100-continue",
      pieces: [post(BULK, "Expect: 100-continue", "Content-Length: 2"), "[]"],
      pause: 20,
      wanted: [100, 200],
    }),
    ...[
      "%",
      "%0",
      "%zz",
      "%00",
      "%ff",
      "%c0%af",
      "%ed%a0%80",
      "%F0%9F",
      "\xff",
      "é",
      "..",
      "../../etc/passwd",
      "%2e%2e%2f",
      "a%2fb",
      "//",
      ";x",
      "?",
      "#",
      "\\",
      "|",
    ].flatMap((text) => [
      () => ({ name: `${text} in a path`, pieces: [Buffer.from(get(`${LIST}${text}`), "latin1")] }),
      () => ({
        name: `${text} in a query`,
        pieces: [Buffer.from(get(`${LIST}?page=${text}&${text}=${text}`), "latin1")],
        wanted: [400],
      }),
      () => ({ name: `${text} as address`, pieces: [Buffer.from(get(`/v1/cti/lookup/${text}`), "latin1")] }),
    ]),
    () => ({
      name: "a query of separators",
      pieces: [get(`${LIST}?${"&".repeat(1000)}=&==&&=1&page[]=1&page%5B0%5D=2`)],
      wanted: [400],
    }),
    () => ({ name: "a thousand parameters", pieces: [get(`${LIST}?${"page=1&".repeat(1000)}`)], wanted: [400] }),
    () => ({ name: "a long path", pieces: [get(`/${"a".repeat(9000)}`)], wanted: [414, 404] }),
    () => ({
      name: "a long parameter of a path",
      pieces: [get(`/v1/cti/lookup/${"1".repeat(8100)}`)],
      wanted: [400, 414],
    }),
    () => ({ name: "a path beyond the header limit", pieces: [get(`/${"a".repeat(20_000)}`)], wanted: [431] }),
    () => ({ name: "a huge header", pieces: [get(LIST, `X-Big: ${"b".repeat(100_000)}`)], wanted: [431] }),
    () => ({
      name: "thousands of headers",
      pieces: [get(LIST, ...Array.from({ length: 1500 }, (_, index) => `X-${index}: 1`))],
      wanted: [200, 431],
    }),
    () => ({ name: "a folded header", pieces: [get(LIST, "X-Folded: a\r\n b")], wanted: [200, 400] }),
    () => ({ name: "a header without a name", pieces: [get(LIST, ": x")], wanted: [400] }),
    () => ({ name: "a space before the colon", pieces: [get(LIST, "X-A : x")], wanted: [400] }),
    () => ({ name: "a header with NUL", pieces: [get(LIST, "X-A: \0")], wanted: [400] }),
    () => ({
      name: "a header of bytes",
      pieces: [
        Buffer.from(
          get(LIST, `X-A: ${"\xff\xfe\x80"}`, `If-None-Match: "${"\xff"}"`, `X-Request-Id: ${"\xe9"}`),
          "latin1",
        ),
      ],
      wanted: [200],
    }),
    () => ({
      name: "duplicated headers",
      pieces: [
        post(
          BULK,
          "X-API-Key: other",
          "X-Request-Id: a",
          "X-Request-Id: b",
          "Idempotency-Key: a",
          "Idempotency-Key: b",
          "If-Match: *",
          "If-Match: *",
          "Content-Length: 2",
        ),
        "[]",
      ],
      wanted: [200, 400, 401],
    }),
    () => ({
      name: "two types",
      pieces: [post(BULK, "Content-Type: text/plain", "Content-Length: 2"), "[]"],
      wanted: [200, 400],
    }),
    () => ({
      name: "two lengths",
      pieces: [post(BULK, "Content-Length: 2", "Content-Length: 3"), "[]"],
      wanted: [400],
    }),
    () => ({
      name: "a length and chunks",
      pieces: [post(BULK, "Content-Length: 2", chunked), "2\r\n[]\r\n0\r\n\r\n"],
      wanted: [400],
    }),
    () => ({
      name: "chunks twice",
      pieces: [post(BULK, chunked, chunked), "2\r\n[]\r\n0\r\n\r\n"],
      wanted: [200, 400],
    }),
    () => ({
      name: "another coding",
      pieces: [post(BULK, "Transfer-Encoding: gzip, chunked"), "2\r\n[]\r\n0\r\n\r\n"],
      wanted: [200, 400, 415],
    }),
    () => ({
      name: "a compressed body",
      pieces: [post(BULK, "Content-Encoding: gzip", "Content-Length: 2"), "[]"],
      wanted: [200, 400, 415],
    }),
    ...["-1", "+2", "2 ", "0x2", "1e1", "99999999999999999999", "", "2,2"].map((length) => () => ({
      name: `the length ${length}`,
      pieces: [post(BULK, `Content-Length: ${length}`), "[]"],
      closes: true,
    })),
    () => ({
      name: "a body that is announced too long",
      pieces: [post("/v1/cbs/lookup", "Content-Length: 999999999")],
      wanted: [413],
    }),
    () => ({ name: "chunks that end in the middle", pieces: [post(BULK, chunked), "5\r\n[]"], closes: true }),
    ...[
      "z\r\n[]\r\n",
      "-1\r\n",
      "ffffffffffffffff\r\n",
      '2;x="\r\n[]\r\n',
      "2\r\n[]x\r\n",
      "2\n[]\n0\n\n",
      "2\r\n[]0\r\n\r\n",
      "\r\n",
      `${"0".repeat(5000)}2\r\n[]\r\n0\r\n\r\n`,
      `2;${"e".repeat(20_000)}\r\n[]\r\n0\r\n\r\n`,
    ].map((body) => () => ({
      name: `the chunks ${body.slice(0, 30)}`,
      pieces: [post(BULK, chunked), body],
      closes: random.below(2) === 0,
    })),
    () => ({
      name: "hostile trailers",
      pieces: [
        post(BULK, chunked),
        `2\r\n[]\r\n0\r\nX-API-Key: x\r\nContent-Length: 9\r\n${"T: x\r\n".repeat(3000)}\r\n`,
      ],
      wanted: [200, 400, 431],
    }),
    () => ({
      name: "a chunk per byte",
      pieces: [post(BULK, chunked), ...[...'["192.0.2.1"]'].map((character) => `1\r\n${character}\r\n`), "0\r\n\r\n"],
      pause: 1,
      wanted: [200],
    }),
    () => ({
      name: "pipelined",
      pieces: [get(LIST).replace("Connection: close\r\n", "").repeat(20), get(LIST)],
      wanted: [200],
      most: 21,
    }),
    () => ({
      name: "pipelined behind a refusal",
      pieces: [post(BULK, "Content-Length: 1").replace("Connection: close\r\n", ""), "{", get(LIST)],
      wanted: [400],
      most: 2,
    }),
    () => ({
      name: "a body behind GET",
      pieces: [get(LIST, "Content-Length: 5", "Content-Type: application/json"), "{{{{{"],
      wanted: [200, 400],
    }),
    () => ({
      name: "a body behind DELETE",
      pieces: [
        head(`DELETE ${LIST}x HTTP/1.1`, "Connection: close", "Content-Type: application/json", "Content-Length: 1"),
        "{",
      ],
      wanted: [400, 404],
    }),
    () => ({
      name: "a body in pieces, then silence",
      pieces: [post(BULK, "Content-Length: 100"), "[", '"1.1'],
      pause: 5,
      wanted: [400, 408],
    }),
    () => ({
      name: "lines in pieces, then silence",
      pieces: [head(`POST ${BULK} HTTP/1.1`, "Content-Type: application/x-ndjson", chunked), "8\r\n1.1.1.1\n\r\n"],
      pause: 5,
    }),
    () => ({
      name: "headers in pieces, then silence",
      pieces: ["GET / HT", "TP/1.1\r\nHo", "st: x\r\n"],
      pause: 5,
      wanted: [408],
    }),
    ...["x", "gzip", "chunked, x", "identity", "chunked, chunked", "xchunked", "chunked;q=1", ""].map(
      (coding) => () => ({
        name: `the coding ${coding}`,
        pieces: [post(BULK, `Transfer-Encoding: ${coding}`), "2\r\n[]\r\n0\r\n\r\n"],
        most: 1,
        wanted: [200, 400, 411, 415, 501],
        closes: random.below(2) === 0,
      }),
    ),
    ...["x", "gzip", "chunked, x", "identity"].map((coding) => () => ({
      name: `GET with the coding ${coding}`,
      pieces: [get(LIST, `Transfer-Encoding: ${coding}`).replace("Connection: close\r\n", ""), "2\r\n[]\r\n0\r\n\r\n"],
      most: 1,
      wanted: [200, 400, 501],
    })),
    // The connection would stay open.
    ...["x", "gzip", "chunked, x", "identity", "xchunked"].map((coding) => () => ({
      name: `the coding ${coding}, and nothing closes`,
      pieces: [post(BULK, `Transfer-Encoding: ${coding}`).replace("Connection: close\r\n", ""), "2\r\n[]\r\n0\r\n\r\n"],
      most: 1,
      wanted: [200, 400, 411, 415, 501],
    })),
    ...["/dashboard/api/session", "/dashboard/api/setup", "/dashboard/api/join"].flatMap((path) => [
      () => ({
        name: `one byte of a body to ${path}`,
        pieces: [page(path, `Content-Length: ${1 + random.below(4000)}`), "{"],
        wanted: [408, 413, 429, 503],
      }),
      () => ({
        name: `a large body to ${path}`,
        pieces: [
          page(path, "Content-Length: 300000"),
          ...pieces(Buffer.alloc(300_000, random.below(2) === 0 ? " " : "[1,"), random),
        ],
        wanted: [400, 401, 413, 429],
      }),
      () => ({
        name: `a large body to ${path}, in chunks`,
        pieces: [page(path, chunked), `${(100_000).toString(16)}\r\n`, Buffer.alloc(100_000, "{}"), "\r\n0\r\n\r\n"],
        wanted: [400, 401, 413, 429],
      }),
    ]),
    () => ({
      name: "a slow reader of a large answer",
      pieces: [get(`/v1/cbs/ranges`, "Accept: text/csv")],
      pause: 50,
      wanted: [200],
    }),
    () => ({ name: "hung up in a body", pieces: [post(`${LIST}`, "Content-Length: 100"), '{"name":'], closes: true }),
    () => ({ name: "hung up before the answer", pieces: [get(`${LIST}?page_size=1000`)], closes: true }),
  ];
}

function pieces(bytes: Buffer, random: Random): Buffer[] {
  const size = 1 + random.below(bytes.length);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  ).slice(0, 100);
}

function flipped(bytes: Buffer, random: Random): Buffer {
  bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

function orLate(attack: Attack): Attack {
  return attack.wanted === undefined ? attack : { ...attack, wanted: [...attack.wanted, 408] };
}

/** What arrives until the server closes the connection, which it does sooner or later. */
async function exchange(url: string, { pieces, pause = 0, closes = false }: Attack, patience: number): Promise<Buffer> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), allowHalfOpen: false });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  // Written to after it was closed, or reset: both are valid outcomes.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    if (pause > 0) await sleep(pause);
  }
  if (closes) socket.end();
  await Promise.race([closed, sleep(patience, undefined, { ref: false })]);
  socket.destroy();
  return Buffer.concat(chunks);
}

function judge(
  { name, wanted, closes = false, most = Infinity }: Attack,
  received: Buffer,
  report: HostileReport,
): void {
  const text = received.toString("latin1");
  if (text === "") {
    report.closed++;
    if (wanted !== undefined && !closes) report.failures.push(`${name}: no answer, but ${wanted.join(" or ")} was due`);
    return;
  }
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1]));
  for (const status of statuses) report.byStatus[status] = (report.byStatus[status] ?? 0) + 1;
  const [first = 0] = statuses;
  const isWanted =
    first > 0 && statuses.every((status) => status < 500) && (wanted === undefined || wanted.includes(first));
  const final = statuses.filter((status) => status >= 200).length;
  if (final > most) report.failures.push(`${name}: ${final} answers: ${text.slice(0, 300)}`);
  if (!isWanted) report.failures.push(`${name}: ${text.slice(0, 300)}`);
}
