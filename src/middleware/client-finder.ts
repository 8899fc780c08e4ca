import type { Address } from "../address/address.ts";
import { parsePrefix } from "../address/prefix.ts";
import { freeze } from "../table/freeze.ts";
import { NO_MATCH } from "../table/match-id.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { PrefixTrie } from "../trie/prefix-trie.ts";
import { forwardedFor, type ProxyHeader } from "./forwarded-for.ts";
import { nodeAddress } from "./node-address.ts";

/** A peer without an address: the other end of a Unix socket. */
const UNIX = "unix";

/**
 * Finds the client of a request: the first address, seen from the server, that is not that of a trusted proxy.
 *
 *     X-Forwarded-For: 198.51.100.9, 203.0.113.5, 10.0.0.2      and the socket's peer is 10.0.0.1
 *                      (anyone's)    the client   trusted                                trusted
 *
 * Every proxy appends the address that the request came from. So an item can be trusted as long as everything to the
 * right of it comes from trusted proxies; whatever is to the left of the client's address was written by the client,
 * and is ignored.
 */
export class ClientFinder {
  readonly #proxies: PrefixTable;
  readonly #trustsUnix: boolean;
  readonly #header: ProxyHeader;

  /** @throws AddressError for a malformed prefix, TypeError for one that covers every address */
  constructor(trustedProxies: readonly string[], header: ProxyHeader) {
    const trie = new PrefixTrie();
    for (const text of trustedProxies.filter((proxy) => proxy !== UNIX)) trie.insert(readProxies(text), 1);
    this.#proxies = freeze(trie);
    this.#trustsUnix = trustedProxies.includes(UNIX);
    this.#header = header;
  }

  /**
   * The client's address; null if it cannot be determined: the peer has none, or a trusted proxy's header is malformed
   * or says "unknown" in place of the client. `remote` is the peer's address as the socket gives it.
   */
  find(remote: string | undefined, headerOf: (name: ProxyHeader) => string | undefined): Address | null {
    const peer = remote === undefined ? null : nodeAddress(remote);
    const isTrusted = peer === null ? remote === undefined && this.#trustsUnix : this.#isProxy(peer);
    const header = isTrusted ? headerOf(this.#header) : undefined;
    return header === undefined ? peer : this.#clientIn(header, peer);
  }

  #clientIn(header: string, peer: Address | null): Address | null {
    const nodes = forwardedFor(this.#header, header);
    if (nodes === null) return null;
    let client = peer;
    for (const node of nodes.reverse()) {
      client = nodeAddress(node);
      if (client === null || !this.#isProxy(client)) break;
    }
    return client;
  }

  #isProxy(address: Address): boolean {
    return this.#proxies.lookupAddress(address) !== NO_MATCH;
  }
}

function readProxies(text: string): ReturnType<typeof parsePrefix> {
  const prefix = parsePrefix(text);
  if (prefix.length > 0) return prefix;
  throw new TypeError(
    `trustedProxies: ${text} trusts everyone, so that clients could choose their address; give the addresses of your proxies`,
  );
}
