/**
 * `node build/generate-client-types.ts`: writes the types of all operations, src/client/_operations.ts and
 * src/dashboard/_operations.ts, from the server's own OpenAPI documents.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { buildApp } from "../src/api/app.ts";
import type { RouteScope } from "../src/api/operation.ts";
import { readSettings } from "../src/service/settings.ts";
import type { Services } from "../src/service/services.ts";

// openapi-typescript uses the compiler's API, which TypeScript 7 does not have.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-5" : specifier, context),
});
const { default: openApiTypes, astToString } = await import("openapi-typescript");

export const OPERATIONS = join(import.meta.dirname, "../src/client/_operations.ts");
export const DASHBOARD_OPERATIONS = join(import.meta.dirname, "../src/dashboard/_operations.ts");

/** The types as text, either of the public operations or of the dashboard's. */
export async function operationTypes(scope: RouteScope): Promise<string> {
  const settings = readSettings({ flag: () => undefined, environment: {}, file: undefined });
  // Routes only store what they are given until a request comes, and none does.
  const areas = { access: {}, rules: {}, publishing: {}, events: {}, logs: {}, data: {} };
  const app = buildApp({ settings, ...areas } as Services, pino({ level: "silent" }));
  await app.ready();
  // Response headers and examples are of no use in types, and they are most of the text.
  const document = JSON.stringify(app.openApi(scope), (key, value) =>
    key === "headers" || key === "example" || key === "examples" ? undefined : value,
  );
  await app.close();
  return `// Written by build/generate-client-types.ts.\n${astToString(await openApiTypes(document, { silent: true, defaultNonNullable: false }))}`;
}

if (import.meta.main) {
  mkdirSync(dirname(OPERATIONS), { recursive: true });
  writeFileSync(OPERATIONS, await operationTypes("public"));
  writeFileSync(DASHBOARD_OPERATIONS, await operationTypes("dashboard"));
}
