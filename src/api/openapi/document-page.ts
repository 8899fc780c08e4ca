import type { OpenApi, Operation } from "./open-api.ts";

/** The style of the page: a separate file, so that the page needs nothing inline. */
export const DOCUMENT_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f5f6f8, #0e1115); color: light-dark(#12171f, #e7eaef); }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
a { color: light-dark(#1a5fb4, #78b4f5); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; max-height: 30rem; margin: 0.25rem 0 1rem; padding: 0.75rem; border: 1px solid light-dark(#dfe3e9, #272e38); border-radius: 4px; background: light-dark(#eef0f3, #11151a); }
details { margin: 0.5rem 0; border: 1px solid light-dark(#dfe3e9, #272e38); border-radius: 4px; padding: 0.5rem 0.75rem; background: light-dark(#ffffff, #161a21); }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
h3 { margin: 1.25rem 0 0.25rem; font-size: 1.05rem; }
h4 { margin: 0.75rem 0 0; font-size: 0.95rem; font-weight: normal; }
table { border-collapse: collapse; width: 100%; }
td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-top: 1px solid #8883; }
td:first-child { white-space: nowrap; }
@media (max-width: 40rem) {
  summary span { display: block; }
  tr { display: block; padding: 0.25rem 0; border-top: 1px solid #8883; }
  td { display: inline; border: 0; }
}
`;

/** The page's icon: browsers request one, and report an error in their console if there is none. */
export const DOCUMENT_ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 2h14l-5 6v6l-4-2V8z" fill="#5a7fc0"/></svg>';

/** The OpenAPI document as a page to read: no script, nothing from other sites. */
export function documentPage({ info, paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2>${escape(tag)}</h2>\n${own.map(({ path, method, operation }) => operationPart(path, method, operation)).join("\n")}`;
  });
  // Links lead to an element inside the details, so browsers open them.
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details><summary><code>${escape(name)}</code></summary><div id="schema-${escape(name)}">${json(schema)}</div></details>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(info.title)} ${escape(info.version)}</title><link rel="stylesheet" href="docs.css"><link rel="icon" href="favicon.ico" type="image/svg+xml"></head>
<body>
<h1>${escape(info.title)} ${escape(info.version)}</h1>
<p>${escape(info.description)} Send requests from the <a href="docs/console">API console</a>. For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1) and <a href="openapi-3.0.json">openapi-3.0.json</a> (OpenAPI 3.0). Send the key in the header <code>X-API-Key</code>, or in the query parameter <code>apikey</code>.
Every response has the headers <code>X-Request-Id</code>, <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code> and <code>RateLimit-Reset</code>.</p>
${sections.join("\n")}
<h2>Schemas</h2>
${schemas.join("\n")}
</body>
</html>
`;
}

function operationPart(path: string, method: string, operation: Operation): string {
  const { operationId, summary, description = "", parameters, requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: location, required, description: what = "" }) => [
    name,
    location + (required === true ? ", required" : ""),
    what,
  ]);
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    response.description,
    ownHeaders(response.headers, responses).join(", "),
  ]);
  const examples = Object.entries(responses)
    .filter(([status]) => status < "400")
    .map(([status, { content = {} }]) => contentPart(`${status} `, content as Content));
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escape(path)}</code> <span>${escape(summary)}</span></summary>
<p id="${escape(operationId)}"><code>${escape(operationId)}</code>. ${escape(description)}</p>
${rows.length === 0 ? "" : `<h3>Parameters</h3>${table(rows)}`}
${requestBody === undefined ? "" : `<h3>Body</h3>${contentPart("", requestBody["content"] as Content)}`}
<h3>Responses</h3>${table(answers)}
${examples.join("")}
</details>`;
}

/** The headers that are not on every response. */
function ownHeaders(headers: object = {}, responses: Operation["responses"]): string[] {
  return Object.keys(headers).filter((name) =>
    Object.values(responses).some((other) => !Object.hasOwn(other.headers ?? {}, name)),
  );
}

type Content = Readonly<Record<string, { readonly schema: unknown; readonly example?: unknown }>>;

/** The schema of each media type, by its name if it has one, and the example. */
function contentPart(before: string, content: Content): string {
  const parts = Object.entries(content).map(([type, { schema, example }]) => {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(String((schema as { $ref?: string }).$ref))?.[1];
    const link = name === undefined ? "" : `: <a href="#schema-${name}">${name}</a>`;
    const isPlain = name !== undefined || (schema as { type?: string }).type === "string";
    return `<h4>${escape(before)}<code>${escape(type)}</code>${link}</h4>${isPlain ? "" : json(schema)}${example === undefined ? "" : exampleText(example)}`;
  });
  return parts.join("");
}

function exampleText(example: unknown): string {
  return typeof example === "string" ? `<pre tabindex="0">${escape(example)}</pre>` : json(example);
}

function table(rows: readonly (readonly string[])[]): string {
  return `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`).join("")}</table>`;
}

function json(value: unknown): string {
  return `<pre tabindex="0">${escape(JSON.stringify(value, null, 2))}</pre>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
}
