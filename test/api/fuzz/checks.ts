import type { ApiDocument, DocumentedResponse } from "./api-document.ts";
import type { Case } from "./cases.ts";
import type { Received, Send } from "./send.ts";

/** The error as a sentence; undefined if there is none. */
export type Verdict = string | undefined;

/**
 * A batch that is not atomic and a preview have a result for each item, and a list may be read without its bad lines:
 * malformed items are reported there.
 */
function tellsOfItems({ operation, sent }: Case, { text }: Received): boolean {
  if (/[?&]skip_invalid=(true|1)/.test(sent.path)) return /"invalid":[1-9]/.test(text);
  if (operation.id === "previewRules") return /"verdict":"error"/.test(text);
  return operation.id === "batchRules" && /"action":"invalid"/.test(text);
}

/** The checks of one response, by their names in schemathesis. */
export const CHECKS: Readonly<Record<string, (one: Case, answer: Received, api: ApiDocument) => Verdict>> = {
  not_a_server_error: (_, { status }) => (status < 500 ? undefined : `the status is ${status}`),

  status_code_conformance: ({ operation, kind }, { status }) =>
    kind === "other-method" || operation.responses.has(status)
      ? undefined
      : `the document knows no ${status} of ${operation.id}`,

  content_type_conformance: (one, answer) => {
    const documented = responseOf(one, answer);
    if (documented === undefined) return undefined;
    const type = typeOf(answer);
    if (documented.bodies.size === 0)
      return type === "" && answer.text === "" ? undefined : `there is a body, of ${type}`;
    return documented.bodies.has(type)
      ? undefined
      : `the type is ${JSON.stringify(type)}, not ${[...documented.bodies.keys()].join(" or ")}`;
  },

  response_schema_conformance: (one, answer) => {
    const check = responseOf(one, answer)?.bodies.get(typeOf(answer))?.();
    if (check === undefined || !isJson(answer)) return undefined;
    const value = parsed(answer);
    if (value === undefined) return "the body is no JSON";
    return check(value) ? undefined : `the body does not fit: ${JSON.stringify(check.errors?.slice(0, 3))}`;
  },

  response_headers_conformance: (one, { status, headers }) => {
    const documented = one.kind === "other-method" ? [] : (one.operation.responses.get(status)?.requiredHeaders ?? []);
    const common = [
      "x-request-id",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
      ...(status === 429 || status === 503 ? ["retry-after"] : []),
      ...(status === 401 ? ["www-authenticate"] : []),
    ];
    const missing = [...common, ...documented].filter((name) => headers[name] === undefined);
    if (missing.length > 0) return `there is no header ${missing.join(", ")}`;
    const odd = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].filter(
      (name) => !/^\d+$/.test(headers[name]!),
    );
    if (odd.length > 0) return `${odd.join(", ")} is no number`;
    const sentId = one.sent.headers["X-Request-Id"];
    return sentId === "abc-1" && headers["x-request-id"] !== sentId
      ? "the request's id is not the client's"
      : undefined;
  },

  problem_conformance: ({ kind, sent }, answer) => {
    // The response to a HEAD request has no body.
    if (typeOf(answer) !== "application/problem+json" || sent.method === "HEAD") return undefined;
    const { status, type, title } = parsed(answer) as { status: number; type: string; title: string };
    if (status !== answer.status || !type.startsWith("/problems/") || title === "")
      return `the problem says ${status} ${type}`;
    return kind === "other-method" && status !== 405 ? `the problem says ${status}` : undefined;
  },

  positive_data_acceptance: ({ kind, expected = new Set<number>() }, answer) => {
    if (kind !== "positive") return undefined;
    if (!expected.has(answer.status))
      return `what the document takes for good got ${answer.status}, not ${[...expected].join(" or ")}`;
    return undefined;
  },

  negative_data_rejection: (one, answer) => {
    const { status } = answer;
    if (one.kind !== "negative" || (status >= 400 && status < 500 && status !== 401 && status !== 403))
      return undefined;
    return status === 200 && tellsOfItems(one, answer) ? undefined : `what the document refuses got ${status}`;
  },

  ignored_auth: ({ kind, fault }, { status }) =>
    (kind !== "missing-key" && kind !== "bad-key") || status === 401 ? undefined : `with ${fault} it got ${status}`,

  missing_required_header: ({ kind, sent }, { status }) =>
    kind !== "missing-header" || sent.body === undefined || (status >= 400 && status < 500)
      ? undefined
      : `without a Content-Type it got ${status}`,

  unsupported_method: ({ kind, operation, sent }, { status, headers }, api) => {
    if (kind !== "other-method") return undefined;
    if (status !== 405) return `${sent.method} got ${status}`;
    const allowed = (headers["allow"] ?? "").split(", ");
    const missing = api.methodsOf(operation.path).filter((method) => !allowed.includes(method));
    return missing.length === 0 ? undefined : `Allow is ${headers["allow"]}, without ${missing.join()}`;
  },

  no_key_in_answers: ({ sent }, { headers, text }) => {
    const key = String(sent.headers["X-API-Key"] ?? "");
    return key.length > 20 && (text.includes(key) || JSON.stringify(headers).includes(key))
      ? "the answer tells the key"
      : undefined;
  },
};

/** The checks that need another request to verify the response. */
export const FOLLOW_UPS: Readonly<Record<string, (one: Case, answer: Received, send: Send) => Promise<Verdict>>> = {
  ensure_resource_availability: async ({ operation, kind, sent }, { status, headers, text }, send) => {
    // A repeated response may describe things that have been deleted since.
    if (kind !== "positive" || status !== 201 || sent.headers["Idempotency-Key"] !== undefined) return undefined;
    const path =
      operation.id === "createRuleset"
        ? headers["location"]!
        : `${pathOf(sent.path)}/rule?ip=${encodeURIComponent(JSON.parse(text).rule.ip)}`;
    const after = await send({ method: "GET", path, headers: keyOf(sent.headers) });
    return after.status === 200 ? undefined : `what was created at ${path} gets ${after.status}`;
  },

  use_after_free: async ({ kind, sent }, { status }, send) => {
    if (kind !== "positive" || sent.method !== "DELETE" || status !== 204) return undefined;
    const after = await send({ method: "GET", path: sent.path, headers: keyOf(sent.headers) });
    return after.status === 404 ? undefined : `what was deleted gets ${after.status}`;
  },
};

function keyOf(headers: Case["sent"]["headers"]): Case["sent"]["headers"] {
  return { "X-API-Key": headers["X-API-Key"]! };
}

function pathOf(url: string): string {
  return url.split("?")[0]!;
}

function responseOf({ operation, kind }: Case, { status }: Received): DocumentedResponse | undefined {
  return kind === "other-method" ? undefined : operation.responses.get(status);
}

function typeOf({ headers }: Received): string {
  return (headers["content-type"] ?? "").split(";")[0]!.trim();
}

function isJson(answer: Received): boolean {
  return /^application\/(problem\+)?json$/.test(typeOf(answer));
}

function parsed({ text }: Received): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
