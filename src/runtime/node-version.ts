/** The first release of Node with everything that the package uses; `engines` of package.json says the same. */
const NEEDED = [22, 18] as const;

/** A version of Node that the package cannot run on. */
export class NodeVersionError extends Error {
  override readonly name = "NodeVersionError";
  readonly code = "node-too-old";
}

/** What is wrong with a version of Node, as "20.20.2"; undefined for a supported one, and outside Node. */
export function nodeVersionError(version: string | undefined): string | undefined {
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  if (version === undefined || major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
  return `ipsieve needs Node ${NEEDED.join(".")} or newer; this is ${version}`;
}

/** The version of this process; undefined in browsers. */
export const NODE_VERSION: string | undefined = (
  globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }
).process?.versions?.node;
