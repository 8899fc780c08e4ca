import type { Json } from "./open-api.ts";

const WHOLE_NUMBER = { type: "integer", minimum: 0 };

/** Schemas of header values, of requests and responses; strings unless they are listed here. */
const SCHEMAS: Readonly<Record<string, Json>> = {
  "Idempotency-Key": { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  "RateLimit-Limit": WHOLE_NUMBER,
  "RateLimit-Remaining": WHOLE_NUMBER,
  "RateLimit-Reset": WHOLE_NUMBER,
  "Retry-After": WHOLE_NUMBER,
  "X-Sequence": WHOLE_NUMBER,
  "X-After-Sequence": { ...WHOLE_NUMBER, maximum: Number.MAX_SAFE_INTEGER },
  Location: { type: "string", format: "uri-reference" },
};

export function headerSchema(name: string): Json {
  return SCHEMAS[name] ?? { type: "string" };
}

/**
 * Headers of responses for the document. A string here means that every such response has the header; one that may be
 * missing says so.
 */
export function headersOf(headers: Readonly<Record<string, string | { readonly sometimes: string }>>): Json {
  const described = Object.entries(headers).map(([name, text]) => {
    const isCertain = typeof text === "string";
    return [name, { description: isCertain ? text : text.sometimes, required: isCertain, schema: headerSchema(name) }];
  });
  return Object.fromEntries(described);
}
