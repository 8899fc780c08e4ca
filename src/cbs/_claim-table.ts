import { badMetadata, CatalogueError } from "./catalogue-error.ts";

/** Words of a claim, and which is which. */
const CLAIM_WORDS = 2;
const NODE = 0;
const SOURCE = 1;

/**
 * Two 32-bit words each, in the machine's order like the words of a table: the node's number, and the source's position
 * from 1.
 * @throws TypeError
 */
export function storeClaims(
  claims: readonly { readonly node: number; readonly source: string | null }[],
  sourceKeys: readonly string[],
): Uint8Array {
  const words = new Uint32Array(claims.length * CLAIM_WORDS);
  claims.forEach(({ node, source }, i) => {
    const position = source === null ? 0 : sourceKeys.indexOf(source) + 1;
    if (source !== null && position === 0)
      throw new TypeError(
        `prefixes have the source ${JSON.stringify(source)}, which is not among those given: ${sourceKeys.join(", ")}`,
      );
    words.set([node, position], i * CLAIM_WORDS);
  });
  return new Uint8Array(words.buffer);
}

/** A claim for each node, of the same source: the value is the node's number. */
export function claimsOfNodes(nodeCount: number, source: number): Uint8Array {
  const words = new Uint32Array(nodeCount * CLAIM_WORDS);
  for (let node = 1; node <= nodeCount; node++) words.set([node, source], (node - 1) * CLAIM_WORDS);
  return new Uint8Array(words.buffer);
}

/** What the values of a table stand for, validated. */
export class ClaimTable {
  readonly #words: Uint32Array;

  /**
   * Checks all claims, which may come from an untrusted file. O(claims).
   * @throws CatalogueError "bad-metadata"
   */
  constructor(stored: Uint8Array, nodeCount: number, sourceCount: number) {
    if (stored.length % (4 * CLAIM_WORDS) !== 0) throw badMetadata("claims", "it ends within a claim");
    // A copy: words must be aligned.
    const words = new Uint32Array(new Uint8Array(stored).buffer);
    for (let at = 0; at < words.length; at += CLAIM_WORDS) {
      const [node, source] = [words[at + NODE]!, words[at + SOURCE]!];
      if (node === 0 || node > nodeCount) throw badMetadata("claims", `unknown node ${node}`);
      if (source > sourceCount) throw badMetadata("claims", `unknown source ${source}`);
    }
    this.#words = words;
  }

  get count(): number {
    return this.#words.length / CLAIM_WORDS;
  }

  /** The number of the node. @throws CatalogueError "unknown-value" */
  nodeOf(value: number): number {
    return this.#words[this.#check(value) + NODE]!;
  }

  /** The position of the source from 1, 0 if none is known. @throws CatalogueError "unknown-value" */
  sourceOf(value: number): number {
    return this.#words[this.#check(value) + SOURCE]!;
  }

  /** The offset of the claim. */
  #check(value: number): number {
    const at = (value - 1) * CLAIM_WORDS;
    if (Number.isInteger(value) && at >= 0 && at < this.#words.length) return at;
    throw new CatalogueError(
      "unknown-value",
      value,
      `the table has the value ${value}, but the catalogue knows ${this.count}; build it again`,
    );
  }
}
