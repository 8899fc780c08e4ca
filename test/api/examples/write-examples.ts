/** `npm run examples`: writes src/api/openapi/examples.ts from a real server's responses. */
import { writeFileSync } from "node:fs";
import { exampleAnswers } from "./example-answers.ts";

const FILE = new URL("../../../src/api/openapi/examples.ts", import.meta.url);
const WIDTH = 175;

const HEAD = `// Written by "npm run examples" from the responses of a real server; test/api/openapi/examples.test.ts compares them
// with new responses.

/** Bodies other than JSON, by media type, and responses by status and media type. */
export interface OperationExamples {
  readonly bodies?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** By operation id. */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = `;

/** JSON, broken into lines where a line would be too long. */
function written(value: unknown, indent: string): string {
  const line = inOneLine(value);
  if (typeof value !== "object" || value === null || line.length + indent.length <= WIDTH) return line;
  const within = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => written(each, within))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${written(each, within)}`);
  const [opening, closing] = Array.isArray(value) ? "[]" : "{}";
  return `${opening}\n${parts.map((part) => `${within}${part},\n`).join("")}${indent}${closing}`;
}

function inOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${inOneLine(each)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

writeFileSync(FILE, `${HEAD}${written(await exampleAnswers(), "")};\n`);
