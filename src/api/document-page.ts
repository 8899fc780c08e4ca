import type { OpenApi, Operation } from "./plugins/openapi.ts";

/** The style of the page: a file of its own, so that the page needs nothing inline. */
export const DOCUMENT_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid #8886; border-radius: 4px; }
details { margin: 0.5rem 0; border: 1px solid #8886; border-radius: 4px; padding: 0.5rem 0.75rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-top: 1px solid #8883; }
`;

/** The OpenAPI document as a page to read: no script, nothing from anywhere else. */
export function documentPage({ info, paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2>${escape(tag)}</h2>\n${own.map(({ path, method, operation }) => operationPart(path, method, operation)).join("\n")}`;
  });
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `<details id="schema-${escape(name)}"><summary><code>${escape(name)}</code></summary>${json(schema)}</details>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(info.title)} ${escape(info.version)}</title><link rel="stylesheet" href="docs.css"></head>
<body>
<h1>${escape(info.title)} ${escape(info.version)}</h1>
<p>${escape(info.description)} For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1). A key goes into the header <code>X-API-Key</code>, or into the query as <code>apikey</code>.</p>
${sections.join("\n")}
<h2>Schemas</h2>
${schemas.join("\n")}
</body>
</html>
`;
}

function operationPart(path: string, method: string, operation: Operation): string {
  const { operationId, summary, description = "", parameters, requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: place, required, description: what = "" }) => [name, place + (required === true ? ", required" : ""), what]);
  const answers = Object.entries(responses).map(([status, response]) => [status, response.description]);
  return `<details id="${escape(operationId)}"><summary><b>${method.toUpperCase()}</b> <code>${escape(path)}</code> ${escape(summary)}</summary>
<p><code>${escape(operationId)}</code>. ${escape(description)}</p>
${rows.length === 0 ? "" : `<h3>Parameters</h3>${table(rows)}`}
${requestBody === undefined ? "" : `<h3>Body</h3>${json(requestBody)}`}
<h3>Answers</h3>${table(answers)}
</details>`;
}

function table(rows: readonly (readonly string[])[]): string {
  return `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`).join("")}</table>`;
}

function json(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
}
