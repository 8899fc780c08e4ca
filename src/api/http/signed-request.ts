import { createHash, hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Idempotency } from "../../store/command.ts";
import { invalid } from "../../service/service-error.ts";
import type { ListBody } from "../../service/rules/desired-rules.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;

interface Signature {
  readonly actor: string;
  readonly at: number;
  readonly organisationId: string;
}

/** What every command of a request carries: its actor and its time. */
export function signature({ caller, now }: FastifyRequest): Signature {
  return { actor: `${caller.kind}:${caller.id}`, at: now, organisationId: caller.organisationId };
}

/** The same with the client's Idempotency-Key. @throws Problem (400) */
export function signed(request: FastifyRequest): Signature & { readonly idempotency?: Idempotency } {
  const key = idempotencyKey(request);
  if (key === undefined) return signature(request);
  return {
    ...signature(request),
    idempotency: {
      key,
      request: hash("sha256", JSON.stringify([...targetOf(request), request.body ?? null]), "base64url"),
    },
  };
}

/** A list in a body, and what its command carries once the whole list has been read. */
interface SignedList {
  readonly body: ListBody;
  signed(): Signature & { readonly idempotency?: Idempotency };
}

/**
 * Like `signed`, for a list that arrives in parts: its digest is computed while they are read, whatever they are.
 * @throws Problem (400)
 */
export function signedList(request: FastifyRequest, body: ListBody): SignedList {
  const key = idempotencyKey(request);
  if (key === undefined) return { body, signed: () => signature(request) };
  const digest = createHash("sha256");
  digest.update(JSON.stringify([...targetOf(request), "members" in body ? "json" : body.format]));
  const passed: ListBody =
    "members" in body
      ? {
          members: passing(body.members, (members) =>
            digest.update(members.map((member) => `\n${JSON.stringify(member)}`).join("")),
          ),
        }
      : { format: body.format, text: passing(body.text, (text) => digest.update(text)) };
  return {
    body: passed,
    signed: () => ({ ...signature(request), idempotency: { key, request: digest.digest("base64url") } }),
  };
}

async function* passing<Part>(parts: AsyncIterable<Part>, see: (part: Part) => void): AsyncGenerator<Part> {
  for await (const part of parts) {
    see(part);
    yield part;
  }
}

function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && KEY.test(key))) return key;
  throw invalid({ "Idempotency-Key": ["must be 1 to 255 visible ASCII characters"] });
}

/** Equal for equal requests, wherever the API key is in them. */
function targetOf({ method, url }: FastifyRequest): [method: string, path: string, query: string] {
  const [path = "", query = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.delete("apikey");
  parameters.sort();
  return [method, path, parameters.toString()];
}
