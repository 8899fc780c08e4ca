/** Where the browser is: what stands after `#` in the address. */
export interface PageLocation {
  /** As `/rulesets/4711`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Reads `#/path?query`; anything else is the start page. */
export function readLocation(hash: string): PageLocation {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  return { path: path.startsWith("/") ? path.replace(/(.)\/$/, "$1") : "/", query: new URLSearchParams(query) };
}

/** `/rulesets/:ruleset_id` against `/rulesets/4711`: the named parts; undefined where the path is another one. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = decode(given[at]!);
    else if (part !== given[at]) return undefined;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page, for links; members of the query that are undefined or empty are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return given.length === 0 ? `#${path}` : `#${path}?${new URLSearchParams(given)}`;
}
