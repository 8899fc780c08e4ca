/** `npm run examples`: writes src/api/openapi/examples.json from a real server's responses, a line for each operation. */
import { writeFileSync } from "node:fs";
import { exampleAnswers } from "./example-answers.ts";

const FILE = new URL("../../../src/api/openapi/examples.json", import.meta.url);

const lines = Object.entries(await exampleAnswers()).map(([id, each]) => `"${id}": ${JSON.stringify(each)}`);
writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
