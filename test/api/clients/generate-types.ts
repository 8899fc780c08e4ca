/** `node generate-types.ts DOCUMENT FILE`: writes the types that openapi-typescript generates from a document. */
import { readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

// openapi-typescript uses the compiler's API, which TypeScript 7 does not have.
registerHooks({ resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-5" : specifier, context) });
const { default: openApiTypes, astToString } = await import("openapi-typescript");

const [document = "", file = ""] = process.argv.slice(2);
writeFileSync(file, astToString(await openApiTypes(readFileSync(document, "utf8"), { silent: true, defaultNonNullable: false })));
