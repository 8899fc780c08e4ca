import { StoredWords } from "../table/stored-words.ts";
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

/** What the values of a table stand for, read in place. */
export class ClaimTable {
  readonly #words: StoredWords;
  readonly #nodeCount: number;
  readonly #sourceCount: number;

  /**
   * Claims may come from an untrusted file: each is checked when it is requested, and `checkAll` checks all. O(1).
   * @throws CatalogueError "bad-metadata"
   */
  constructor(stored: Uint8Array, nodeCount: number, sourceCount: number) {
    if (stored.length % (4 * CLAIM_WORDS) !== 0) throw badMetadata("claims", "it ends within a claim");
    this.#words = new StoredWords(stored);
    this.#nodeCount = nodeCount;
    this.#sourceCount = sourceCount;
  }

  get count(): number {
    return this.#words.length / CLAIM_WORDS;
  }

  /** O(claims). @throws CatalogueError "bad-metadata" */
  checkAll(): void {
    for (let value = 1; value <= this.count; value++) {
      this.nodeOf(value);
      this.sourceOf(value);
    }
  }

  /** The number of the node. @throws CatalogueError "unknown-value", "bad-metadata" */
  nodeOf(value: number): number {
    const node = this.#words.at(this.#check(value) + NODE);
    if (node === 0 || node > this.#nodeCount) throw badMetadata("claims", `unknown node ${node}`);
    return node;
  }

  /** The position of the source from 1, 0 if none is known. @throws CatalogueError "unknown-value", "bad-metadata" */
  sourceOf(value: number): number {
    const source = this.#words.at(this.#check(value) + SOURCE);
    if (source > this.#sourceCount) throw badMetadata("claims", `unknown source ${source}`);
    return source;
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
