/**
 * Valid names of a firewall's sets. With the six characters of `_4_new`, which ipset needs while it fills a set, that
 * makes the 31 that the kernel allows.
 */
export const SET_NAME = /^[A-Za-z][A-Za-z0-9_]{0,24}$/;
export const MAX_SET_NAME = 25;
/** The rule, as an error message states it after the name. */
export const SET_NAME_RULE = `must be a letter followed by up to ${MAX_SET_NAME - 1} letters, digits and underscores`;

/** @throws RangeError for what needs quotes, could be a line of its own, or is too long */
export function checkSetName(name: string): string {
  if (SET_NAME.test(name)) return name;
  throw new RangeError(`the name of a set ${SET_NAME_RULE}, not ${JSON.stringify(name)}`);
}

const MAX_WORDS = 18;

/**
 * The set name for something with a name and an id: the usable characters of the name, then six digits from the id, so
 * that no two things get the same one.
 */
export function setNameOf(name: string, id: string): string {
  const words = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replace(/^[_0-9]+/, "")
    .slice(0, MAX_WORDS)
    .replace(/_$/, "");
  return `${words === "" ? "list" : words}_${digits(id)}`;
}

/** The name of a Kubernetes resource (RFC 1123 label) for that name of a set. */
export function resourceNameOf(setName: string): string {
  return checkSetName(setName).toLowerCase().replaceAll("_", "-").replace(/-+$/, "");
}

/** FNV-1a, of which 24 bits are given as hexadecimal digits. */
function digits(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash >>> 24) ^ (hash & 0xffffff)).toString(16).padStart(6, "0");
}
