import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** The methods that a path takes, sorted; none for a path that there is not. */
    allowedMethods(path: string): string[];
  }
}

/** Collects which methods each path takes, for the answers to others. Call it before routes are added. */
export function collectMethods(app: FastifyInstance): void {
  const paths = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(url, known);
  });
  app.decorate("allowedMethods", (path) => {
    const methods = [...paths.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((each) => [...each.methods]);
    return [...new Set(methods)].sort();
  });
}

/** `:name` stands for one part of the path, `::` for a colon; a slash at the end may be there or not. */
function patternOf(url: string): RegExp {
  const parts = url
    .replace(/\/$/, "")
    .split("/")
    .map((part) => (/^:[^:]/.test(part) ? "[^/]+" : part.replaceAll("::", ":").replaceAll(".", "\\.")));
  return new RegExp(`^${parts.join("/")}/?$`);
}
