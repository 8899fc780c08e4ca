/** The headers in which proxies name the client. */
export const PROXY_HEADERS = ["x-forwarded-for", "forwarded"] as const;
/** One of `PROXY_HEADERS`. */
export type ProxyHeader = (typeof PROXY_HEADERS)[number];

/**
 * The nodes in a header, as written: the client of the nearest proxy comes last. Null for a `Forwarded` that violates
 * RFC 7239: an open quote would move the boundary between the text of the client and that of the proxy.
 */
export function forwardedFor(header: ProxyHeader, value: string): string[] | null {
  return header === "forwarded" ? forwardedNodes(value) : listItems(value);
}

/** Empty items are left out, as everywhere in HTTP (RFC 9110, 5.6.1). */
function listItems(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A parameter and what follows it: `for=192.0.2.60;`, `for="[2001:db8::1]:80",`. */
const PARAMETER = /[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^ \t",;=]+))[ \t]*([,;]|$)/y;
const EMPTY_ITEM = /[ \t]*(?:,|$)/y;

/** The clients in the items of `Forwarded`: "unknown" for an item without one. */
function forwardedNodes(value: string): string[] | null {
  const nodes: string[] = [];
  for (let at = 0; at < value.length;) {
    EMPTY_ITEM.lastIndex = at;
    if (EMPTY_ITEM.test(value)) {
      at = EMPTY_ITEM.lastIndex;
      continue;
    }
    const item = readItem(value, at);
    if (item === null) return null;
    nodes.push(item.node);
    at = item.end;
  }
  return nodes;
}

function readItem(value: string, start: number): { readonly node: string; readonly end: number } | null {
  let node: string | undefined;
  for (PARAMETER.lastIndex = start; ;) {
    const parameter = PARAMETER.exec(value); // goes on where it ended
    if (parameter === null) return null;
    const [, name, quoted, token, end] = parameter;
    if (name!.toLowerCase() === "for") {
      if (node !== undefined) return null; // which of the two would be the client?
      node = token ?? quoted!.replaceAll(/\\(.)/g, "$1");
    }
    if (end !== ";") return { node: node ?? "unknown", end: PARAMETER.lastIndex };
  }
}
