import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** The methods of a path, sorted; none for a path that does not exist. */
    allowedMethods(path: string): string[];
  }
}

/** Collects the methods of each path, for the responses to other methods. Call it before routes are added. */
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

/**
 * `:name` stands for one part of the path, with an expression in parentheses for one without a colon, `::` for a colon;
 * a slash at the end is optional.
 */
function patternOf(url: string): RegExp {
  const parts = url
    .replace(/\/$/, "")
    .split("/")
    .map((part) => {
      const [, name = "", expression, rest] = /^(:\w+)?(\(.*?\))?(.*)$/.exec(part)!;
      const parameter = name === "" ? "" : expression === undefined ? "[^/]+" : "[^/:]+";
      return parameter + rest!.replaceAll("::", ":").replaceAll(".", "\\.");
    });
  return new RegExp(`^${parts.join("/")}/?$`);
}
