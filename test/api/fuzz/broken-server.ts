import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createRawServer } from "node:net";
import { PROBLEMS, type ProblemKind } from "../../../src/api/problem.ts";
import { type Received, sender } from "./send.ts";

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = Pick<Received, "status" | "text"> & { readonly headers: OutgoingHttpHeaders };
type Ask = (exchange: Exchange) => Promise<Answer>;

const json = (answer: Answer, change: (body: any) => unknown): Answer => ({
  ...answer,
  text: JSON.stringify(change(JSON.parse(answer.text))),
});
const withHeaders = (answer: Answer, headers: OutgoingHttpHeaders): Answer => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});
const isOk = ({ status }: Answer): boolean => status === 200;

/**
 * An error of a server, and an operation that shows it. `run` gets a request and a function that calls the real server.
 */
export interface Fault {
  readonly operation: string;
  readonly run: (exchange: Exchange, ask: Ask, key: string) => Promise<Answer>;
}

/** Changes only responses. */
function changing(operation: string, change: (answer: Answer, exchange: Exchange) => Answer): Fault {
  return { operation, run: async (exchange, ask) => change(await ask(exchange), exchange) };
}

/** By the check that must detect the fault. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  not_a_server_error: changing("getRule", (answer, { path }) =>
    path.includes("__proto__") ? { ...answer, status: 500 } : answer,
  ),
  status_code_conformance: changing("getRule", (answer) =>
    answer.status === 404 ? { ...answer, status: 410 } : answer,
  ),
  content_type_conformance: changing("searchCbs", (answer) =>
    isOk(answer) ? withHeaders(answer, { "content-type": "text/html" }) : answer,
  ),
  response_schema_conformance: changing("lookupIp", (answer) =>
    isOk(answer) ? json(answer, (body) => ({ ...body, seen: String(body.seen) })) : answer,
  ),
  response_headers_conformance: changing("addRule", (answer) =>
    answer.status === 415 ? withHeaders(answer, { "ratelimit-reset": undefined }) : answer,
  ),
  problem_conformance: changing("replaceRules", (answer) =>
    answer.status === 405 ? json(answer, (body) => ({ ...body, status: 400 })) : answer,
  ),
  positive_data_acceptance: {
    operation: "listRules",
    run: (exchange, ask) => ask({ ...exchange, path: exchange.path.replace("active_only=true", "active_only=yes") }),
  },
  negative_data_rejection: {
    operation: "listRulesets",
    run: (exchange, ask) => ask({ ...exchange, path: exchange.path.replaceAll(/page_size=[^&]*/g, "") }),
  },
  ignored_auth: {
    operation: "updateRuleset",
    run: (exchange, ask, key) => ask({ ...exchange, headers: { ...exchange.headers, "x-api-key": key } }),
  },
  missing_required_header: {
    operation: "bulkLookup",
    run: (exchange, ask) =>
      ask(
        exchange.body === ""
          ? exchange
          : { ...exchange, headers: { "content-type": "application/json", ...exchange.headers } },
      ),
  },
  unsupported_method: changing("getCbsNode", (answer) =>
    answer.status === 405 ? withHeaders(answer, { allow: "POST" }) : answer,
  ),
  no_key_in_answers: changing("getCbsNode", (answer, { headers }) =>
    answer.status === 404 ? json(answer, (body) => ({ ...body, detail: `no ${headers["x-api-key"] ?? ""}` })) : answer,
  ),
  ensure_resource_availability: {
    operation: "createRuleset",
    run: async (exchange, ask, key) => {
      const answer = await ask(exchange);
      if (answer.status === 201)
        await ask({
          method: "DELETE",
          path: String(answer.headers["location"]),
          headers: { "x-api-key": key },
          body: "",
        });
      return answer;
    },
  },
  use_after_free: {
    operation: "deleteRule",
    run: async (exchange, ask, key) => {
      const answer = await ask(exchange);
      const { pathname, searchParams } = new URL(exchange.path, "http://localhost");
      if (answer.status === 204)
        await ask({
          method: "POST",
          path: pathname.replace(/\/rule$/, ""),
          headers: { "x-api-key": key, "content-type": "application/json" },
          body: JSON.stringify({ ip: searchParams.get("ip") }),
        });
      return answer;
    },
  },
};

/** Rejects good requests with well-formed errors. */
function misjudging(
  operation: string,
  requests: RegExp,
  success: number,
  kind: ProblemKind,
): Fault & { readonly check: string } {
  const { status, title } = PROBLEMS[kind];
  const refuse = (answer: Answer, { method, path }: Exchange): Answer => {
    if (answer.status !== success || !requests.test(`${method} ${path}`)) return answer;
    const { "content-type": _, etag: _etag, location: _location, ...headers } = answer.headers;
    const body = { type: `/problems/${kind}`, title, status, detail: title, instance: path.split("?")[0] };
    return { status, headers: { ...headers, "content-type": "application/problem+json" }, text: JSON.stringify(body) };
  };
  return { ...changing(operation, refuse), check: "positive_data_acceptance" };
}

/**
 * What a server may get wrong about hostile bodies, numbers at the edges, and good requests, with the check that must
 * notice.
 */
export const EDGE_FAULTS: Readonly<Record<string, Fault & { readonly check: string }>> = {
  "fails at deep nesting": {
    check: "not_a_server_error",
    operation: "checkRules",
    run: async (exchange, ask) =>
      exchange.body.includes("[".repeat(1000)) ? { status: 500, headers: {}, text: "" } : ask(exchange),
  },
  "takes a compressed body for an empty list": {
    check: "negative_data_rejection",
    operation: "bulkLookup",
    run: async (exchange, ask) => {
      const { "content-encoding": coding, ...headers } = exchange.headers;
      return ask(coding === undefined ? exchange : { ...exchange, headers, body: "[]" });
    },
  },
  "multiplies a page beyond what it counts exactly": {
    check: "not_a_server_error",
    operation: "listRules",
    run: async (exchange, ask) =>
      Number(/[?&]page=(\d+)/.exec(exchange.path)?.[1] ?? 1) * 100 > Number.MAX_SAFE_INTEGER
        ? { status: 500, headers: {}, text: "" }
        : ask(exchange),
  },
  "does not find rules that are there": misjudging("getRule", /^GET .*\/rules\/rule\?/, 200, "not-found"),
  "takes every tag for an old one": misjudging("updateRuleset", /^PATCH /, 200, "precondition-failed"),
  "takes every idempotency key for another request's": misjudging(
    "createRuleset",
    /^POST /,
    201,
    "idempotency-key-reused",
  ),
  "has nothing of any type that is wanted": misjudging("listRules", /^GET .*\/rules(\?|$)/, 200, "not-acceptable"),
  "takes every list for one that conflicts": misjudging("importRules", /^POST .*:import/, 200, "conflict"),
  "adds to a rule that is there, and calls it a new one": {
    ...changing("addRule", (answer, { method, path }) =>
      isOk(answer) && method === "POST" && path.endsWith("/rules") ? { ...answer, status: 201 } : answer,
    ),
    check: "positive_data_acceptance",
  },
  "tells more of a problem than the document": {
    ...changing("getRule", (answer) =>
      answer.status === 404 ? json(answer, (body) => ({ ...body, query: "select" })) : answer,
    ),
    check: "response_schema_conformance",
  },
  "takes the first thousand members only": {
    check: "negative_data_rejection",
    operation: "checkRules",
    run: async (exchange, ask) =>
      ask(exchange.body.split('":0,').length > 1000 ? { ...exchange, body: '{"ips":[]}' } : exchange),
  },
};

/** A server that passes requests to the real one and introduces an error; the harness uses it like the real one. */
export async function startBrokenServer(
  url: string,
  key: string,
  { run }: Fault,
): Promise<{ url: string; close(): void }> {
  const { send, close } = sender(url);
  const ask: Ask = async ({ method, path, headers, body }) => {
    const {
      "content-length": _,
      "transfer-encoding": _chunked,
      connection: _connection,
      "accept-encoding": _accept,
      ...others
    } = headers;
    // It reads bodies as text, so it requests no content coding.
    const known = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >;
    const answer = await send({ method, path, headers: known, body: body === "" ? undefined : body });
    const { "transfer-encoding": _coding, "content-length": _length, ...told } = answer.headers;
    return { ...answer, headers: told };
  };
  const server = createServer(
    (request, response) => void answerWith(request, response, (exchange) => run(exchange, ask, key)),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
    close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: stop };
}

async function answerWith(request: IncomingMessage, response: ServerResponse, answer: Ask): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { status, headers, text } = await answer({
    method: request.method!,
    path: request.url!,
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  });
  response
    .writeHead(status, Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)))
    .end(text);
}

/** Responds only to the first request of a connection, like a server that has not read a body to its end. */
export function startMuteServer(): Promise<{ url: string; close(): void }> {
  const known = new WeakSet<object>();
  return startBare((request, response) => {
    const isFirst = !known.has(request.socket);
    known.add(request.socket);
    if (isFirst) answerBare(request, response);
  });
}

/**
 * Sends each request the response to the previous one on any connection, like a proxy with a shared pool after an extra
 * response.
 */
export function startSwappingServer(): Promise<{ url: string; close(): void }> {
  let before: string | undefined;
  return startBare((request, response) => {
    const id = request.headers["x-request-id"] as string | undefined;
    answerBare(request, response, before);
    before = id;
  });
}

/** Rejects requests that name a coding twice, and closes the connection on all others. */
export async function startDoubleServer(): Promise<{ url: string; close(): void }> {
  const ANSWER = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  const server = createRawServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", (bytes) =>
        socket.end(/transfer-encoding/i.test(String(bytes)) ? ANSWER + ANSWER : "", () => socket.destroy()),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

function answerBare(request: IncomingMessage, response: ServerResponse, id = request.headers["x-request-id"]): void {
  request.resume().on("end", () => response.writeHead(200, { "x-request-id": String(id), "content-length": 0 }).end());
}

async function startBare(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; close(): void }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
