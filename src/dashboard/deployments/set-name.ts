const MAX_WORDS = 18;

/**
 * The name of the set, chain or list in a deployment's files, which the server makes of its name and id. The two must
 * agree: a test compares them.
 */
export function setNameOf(name: string, id: string): string {
  const words = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/^[_0-9]+/, "")
    .slice(0, MAX_WORDS)
    .replace(/_$/, "");
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  const digits = ((hash >>> 24) ^ (hash & 0xffffff)).toString(16).padStart(6, "0");
  return `${words === "" ? "list" : words}_${digits}`;
}
