import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Idempotency } from "../store/command.ts";
import { invalid } from "./problem.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;

interface Signature {
  readonly actor: string;
  readonly at: number;
  readonly organisationId: string;
  readonly idempotency?: Idempotency;
}

/** What every command of a request carries: whose it is, when it counts as given, and the client's Idempotency-Key. @throws Problem (400) */
export function signed(request: FastifyRequest): Signature {
  const { key } = request.caller;
  const signature = { actor: `key:${key.id}`, at: request.now, organisationId: key.organisationId };
  const idempotencyKey = request.headers["idempotency-key"];
  if (idempotencyKey === undefined) return signature;
  if (typeof idempotencyKey !== "string" || !KEY.test(idempotencyKey)) {
    throw invalid({ "Idempotency-Key": ["it must be 1 to 255 visible ASCII characters"] });
  }
  return { ...signature, idempotency: { key: idempotencyKey, request: digestOf(request) } };
}

/** The same for the same request, wherever the API key stands in it. */
function digestOf({ method, url, body }: FastifyRequest): string {
  const [path = "", query = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.delete("apikey");
  parameters.sort();
  return hash("sha256", JSON.stringify([method, path, parameters.toString(), body ?? null]), "base64url");
}
