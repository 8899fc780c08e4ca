import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../snapshot/harness/sample.ts";
import { readAnswers } from "./answers.ts";

export interface EarlyReport {
  connections: number;
  requests: number;
  answered: number;
  /** Connections that the server closed before all responses: allowed if everything before that is right. */
  closed: number;
  readonly byStatus: Record<string, number>;
  /** The first failure of each kind of request, by its name. */
  readonly failures: Record<string, string>;
}

export interface EarlyOptions {
  readonly url: string;
  readonly key: string;
  readonly random: Random;
  readonly connections: number;
  /** The maximum length of a body. */
  readonly bodyBytes: number;
  /** Milliseconds to wait for a response: longer than the server's limits for headers and bodies. */
  readonly patience: number;
}

/** A request that may be answered before its body has arrived. */
interface Kind {
  readonly name: string;
  readonly line: string;
  readonly headers?: readonly string[];
  /** The repeated content of its body; undefined: it has no body. */
  readonly unit?: string;
  /** Sent without the key. */
  readonly isStranger?: boolean;
}

const JSON_TYPE = "Content-Type: application/json";
const RULESET = "/v1/edl/ip-rulesets/cafecafe-cafe-4afe-8afe-cafecafecafe";
const KINDS: readonly Kind[] = [
  { name: "a lookup", line: "GET /v1/cti/lookup/198.51.100.1" },
  {
    name: "a stream of addresses",
    line: "POST /v1/cti/bulk_lookup",
    headers: ["Content-Type: text/plain"],
    unit: "198.51.100.1\n",
  },
  {
    name: "a stream of one long line",
    line: "POST /v1/cti/bulk_lookup",
    headers: ["Content-Type: application/x-ndjson"],
    unit: "a",
  },
  {
    name: "a stream of one long line, by the other path",
    line: "POST /bulk_lookup",
    headers: ["Content-Type: text/plain"],
    unit: "1",
  },
  { name: "a bulk lookup of wrong items", line: "POST /v1/cbs/lookup", headers: [JSON_TYPE], unit: "[" },
  { name: "a body without a key", line: "POST /v1/cbs/lookup", headers: [JSON_TYPE], unit: "1", isStranger: true },
  { name: "a body to nothing", line: "POST /nothing", headers: [JSON_TYPE], unit: "x" },
  { name: "a body to a method that there is not", line: "PATCH /v1/cbs/lookup", headers: [JSON_TYPE], unit: "x" },
  { name: "a body of another type", line: "POST /v1/cbs/lookup", headers: ["Content-Type: text/html"], unit: "x" },
  { name: "a body of no type", line: "POST /v1/cbs/lookup", unit: "x" },
  { name: "a body with GET", line: "GET /v1/cti/lookup/198.51.100.1", unit: "GET / HTTP/1.1\r\n\r\n" },
  { name: "a body with DELETE", line: `DELETE ${RULESET}`, headers: [JSON_TYPE], unit: "{" },
  {
    name: "a list to a ruleset that there is not",
    line: `PUT ${RULESET}/rules`,
    headers: ["Content-Type: text/csv"],
    unit: "192.0.2.1,x\n",
  },
  {
    name: "an import to a ruleset that there is not",
    line: `POST ${RULESET}/rules:import`,
    headers: ["Content-Type: text/plain"],
    unit: "192.0.2.1\n",
  },
  {
    name: "a sign-in",
    line: "POST /dashboard/api/session",
    headers: [JSON_TYPE, "Sec-Fetch-Site: same-origin"],
    unit: " ",
    isStranger: true,
  },
  {
    name: "a set-up",
    line: "POST /dashboard/api/setup",
    headers: [JSON_TYPE, "Sec-Fetch-Site: same-origin"],
    unit: "[",
    isStranger: true,
  },
  {
    name: "a sign-in from elsewhere",
    line: "POST /dashboard/api/session",
    headers: [JSON_TYPE, "Sec-Fetch-Site: cross-site"],
    unit: " ",
    isStranger: true,
  },
  {
    name: "a log without a session",
    line: "POST /dashboard/api/identifications",
    headers: ["Content-Type: text/plain", "Sec-Fetch-Site: same-origin"],
    unit: "192.0.2.1\n",
    isStranger: true,
  },
  {
    name: "a preview without a session",
    line: `POST /dashboard/api/edl/ip-rulesets/${RULESET.split("/").at(-1)}/rules:preview`,
    headers: ["Content-Type: text/csv", "Sec-Fetch-Site: same-origin"],
    unit: "x\n",
    isStranger: true,
  },
  { name: "a path that is too long", line: `POST /${"a".repeat(9000)}`, headers: [JSON_TYPE], unit: "1" },
  {
    name: "a parameter that is wrong",
    line: "POST /v1/edl/ip-rulesets/x/rules:batch?y=%zz",
    headers: [JSON_TYPE],
    unit: "1",
  },
];
/** The maximum number of requests on one connection; the last one has no body. */
const MAX_REQUESTS = 4;
const AT_ONCE = 16;
/**
 * Requests one after the other on one connection, whose bodies all arrive, whatever has been answered meanwhile: each
 * gets exactly one response, its own, or the connection is closed.
 */
export async function attackByEarlyAnswers({
  url,
  key,
  random,
  connections,
  bodyBytes,
  patience,
}: EarlyOptions): Promise<EarlyReport> {
  const report: EarlyReport = { connections: 0, requests: 0, answered: 0, closed: 0, byStatus: {}, failures: {} };
  const one = async (): Promise<void> => {
    while (report.connections < connections) {
      const number = report.connections++;
      const kinds = Array.from(
        { length: 1 + random.below(MAX_REQUESTS - 1) },
        () => KINDS[random.below(KINDS.length)]!,
      );
      const sent = [...kinds, KINDS[0]!].map((kind, index) => ({ kind, id: `${number}-${index}` }));
      const bytes = sent.map(({ kind, id }) => bytesOf(kind, id, key, random, bodyBytes));
      const { received, isClosed } = await send(url, bytes, random, patience);
      judge(sent, received, isClosed, report);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return report;
}

/** A request with a body of any size, sent with its length or in chunks. */
function bytesOf(
  { line, headers = [], unit, isStranger = false }: Kind,
  id: string,
  key: string,
  random: Random,
  most: number,
): Buffer {
  const length = unit === undefined ? 0 : 1 + random.below(random.below(3) === 0 ? 100 : most);
  const body = Buffer.alloc(length, unit ?? "");
  const isChunked = unit !== undefined && random.below(2) === 0;
  const framing = unit === undefined ? [] : [isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`];
  const head = [
    `${line} HTTP/1.1`,
    "Host: localhost",
    `X-Request-Id: ${id}`,
    ...(isStranger ? [] : [`X-API-Key: ${key}`]),
    ...headers,
    ...framing,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), isChunked ? chunked(body, random) : body]);
}

function chunked(body: Buffer, random: Random): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const part = body.subarray(at, at + 1 + random.below(body.length));
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
    at += part.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/**
 * Sends pieces of random length, some followed by a pause, without waiting for responses except sometimes between
 * requests.
 */
async function send(
  url: string,
  requests: readonly Buffer[],
  random: Random,
  patience: number,
): Promise<{ received: Buffer; isClosed: boolean }> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  const chunks: Buffer[] = [];
  const state = { isClosed: false, isOver: false };
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve())).then(
    () => void (state.isClosed ||= !state.isOver),
  );
  const isSlowReader = random.below(8) === 0;
  if (isSlowReader) socket.pause();
  for (const bytes of requests) await write(socket, bytes, random);
  socket.resume();
  const deadline = performance.now() + patience;
  while (
    !state.isClosed &&
    performance.now() < deadline &&
    readAnswers(Buffer.concat(chunks)).answers.length < requests.length
  )
    await sleep(5);
  state.isOver = true;
  socket.destroy();
  await closed;
  return { received: Buffer.concat(chunks), isClosed: state.isClosed };
}

async function write(socket: Socket, bytes: Buffer, random: Random): Promise<void> {
  const pieces = 1 + random.below(4);
  for (let piece = 0; piece < pieces && socket.writable; piece++) {
    socket.write(
      bytes.subarray(Math.floor((piece * bytes.length) / pieces), Math.floor(((piece + 1) * bytes.length) / pieces)),
    );
    if (random.below(2) === 0) await sleep(random.below(5));
  }
}

/** Responses are in the order of requests, one each, and none is missing unless the connection was closed. */
function judge(
  sent: readonly { kind: Kind; id: string }[],
  received: Buffer,
  isClosed: boolean,
  report: EarlyReport,
): void {
  const { answers, rest } = readAnswers(received);
  report.requests += sent.length;
  report.answered += answers.length;
  for (const { status } of answers) report.byStatus[status] = (report.byStatus[status] ?? 0) + 1;
  const fail = (index: number, what: string): void => {
    const about = sent[Math.max(0, Math.min(index, sent.length - 1))]!.kind.name;
    report.failures[about] ??=
      `${about}: ${what}; sent: ${sent.map(({ kind }) => kind.name).join(", ")}; answered: ${answers.map(({ status, headers }) => `${status} ${headers.get("x-request-id")}`).join(", ")}`;
  };
  const wrong = answers.findIndex(
    ({ status, headers }, index) =>
      status >= 500 || (headers.get("x-request-id") ?? sent[index]?.id) !== sent[index]?.id,
  );
  if (wrong >= 0)
    return fail(wrong - 1, `answer ${wrong + 1} is not that of request ${wrong + 1}, or a failure of the server`);
  if (isClosed) report.closed += answers.length < sent.length ? 1 : 0;
  else if (answers.length < sent.length)
    fail(answers.length - 1, `request ${answers.length + 1} got no answer, and the connection is still open`);
  if (rest !== "" && !isClosed)
    fail(answers.length, `after the last answer there is ${JSON.stringify(rest.slice(0, 100))}`);
}
