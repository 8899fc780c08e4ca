import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Idempotency } from "../store/command.ts";
import { ArrivingBody } from "./arriving-body.ts";
import { invalid } from "./problem.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;

interface Signature {
  readonly actor: string;
  readonly at: number;
  readonly organisationId: string;
}

/** What every command of a request carries: whose it is, and when it counts as given. */
export function signature({ caller, now }: FastifyRequest): Signature {
  return { actor: `${caller.kind}:${caller.id}`, at: now, organisationId: caller.organisationId };
}

/** The same with the client's Idempotency-Key; once the body has been read. @throws Problem (400) */
export function signed(request: FastifyRequest): Signature & { readonly idempotency?: Idempotency } {
  const idempotencyKey = request.headers["idempotency-key"];
  if (idempotencyKey === undefined) return signature(request);
  if (typeof idempotencyKey !== "string" || !KEY.test(idempotencyKey)) {
    throw invalid({ "Idempotency-Key": ["it must be 1 to 255 visible ASCII characters"] });
  }
  return { ...signature(request), idempotency: { key: idempotencyKey, request: digestOf(request) } };
}

/** The same for the same request, wherever the API key stands in it. */
function digestOf({ method, url, body }: FastifyRequest): string {
  const [path = "", query = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.delete("apikey");
  parameters.sort();
  const content = body instanceof ArrivingBody ? body.digest() : (body ?? null);
  return hash("sha256", JSON.stringify([method, path, parameters.toString(), content]), "base64url");
}
