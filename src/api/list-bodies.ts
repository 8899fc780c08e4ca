import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { App } from "./app-type.ts";
import { invalid } from "./problem.ts";
import type { RuleMembers } from "./read-rule.ts";
import { LIST_TYPES, type ListBody } from "./wanted-rules.ts";

/** Adds routes whose bodies may be lists, which come as text. Nowhere else may a body be one. */
export function withListBodies(app: App, addRoutes: (app: App) => void): void {
  void app.register((context, _options, done) => {
    context.addContentTypeParser(Object.keys(LIST_TYPES), { parseAs: "buffer" }, (_request: FastifyRequest, body: Buffer, parsed) => {
      if (isUtf8(body)) parsed(null, body.toString());
      else parsed(invalid({ body: ["it is not UTF-8"] }));
    });
    addRoutes(context as unknown as App);
    done();
  });
}

/** The schema of a body that is JSON, or a list of one of the other types. */
export function listBody(json: object): object {
  return { content: { "application/json": { schema: json }, ...Object.fromEntries(Object.keys(LIST_TYPES).map((type) => [type, { schema: Type.String() }])) } };
}

/** How much is given at a time. */
const CHARACTERS_AT_ONCE = 1 << 16;
const MEMBERS_AT_ONCE = 500;

/** The list in the body. @throws Problem (400) without one */
export function listIn(request: FastifyRequest): ListBody {
  const body: unknown = request.body;
  if (body === undefined) throw invalid({ body: ["it is missing; send a JSON document, or a list as text/plain, text/csv or application/x-ndjson"] });
  if (typeof body !== "string") return { members: parts((body as { rules: RuleMembers[] }).rules, MEMBERS_AT_ONCE) };
  const type = request.headers["content-type"]!.split(";")[0]!.trim().toLowerCase();
  return { text: parts(body, CHARACTERS_AT_ONCE), format: LIST_TYPES[type]! };
}

async function* parts<Whole extends string | readonly unknown[]>(whole: Whole, size: number): AsyncGenerator<Whole> {
  for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size) as Whole;
}
