/** The current page: the part of the URL after `#`. */
export interface PageLocation {
  /** For example `/rulesets/4711`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Reads `#/path?query`; anything else is the start page. */
export function readLocation(hash: string): PageLocation {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  return { path: path.startsWith("/") ? path.replace(/(.)\/$/, "$1") : "/", query: new URLSearchParams(query) };
}

/** Matches `/rulesets/:ruleset_id` with `/rulesets/4711`: returns the named parts; undefined for another path. */
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

/** The URL of a page, for links; parameters that are undefined or empty are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return given.length === 0 ? `#${path}` : `#${path}?${new URLSearchParams(given)}`;
}
