import type { Agent, ProxyAgent } from "undici";
import { isAddress, parseAddress } from "../address/parse-address.ts";
import { type AddressRules, checkedAddresses } from "./pinned-lookup.ts";

/** A proxy that the operator has configured, and its exceptions. */
export interface Proxy {
  /** http or https, with a user name and password if it requires them. */
  readonly url: URL;
  /** Hosts that are connected to directly, as in NO_PROXY: names, including all names below them; `*` is every host. */
  readonly except: readonly string[];
}

/** Where a request for a URL goes, and under which name. */
export interface Tunnel {
  readonly agent: ProxyAgent;
  readonly origin: string;
}

export function isExcepted({ except }: Proxy, { hostname, host }: URL): boolean {
  return except.some((name) => name === "*" || hostname === name || host === name || hostname.endsWith(`.${name}`));
}

/** The name that the certificate must have; none if the URL has an address, which must then be in the certificate. */
function namedAs(hostname: string): { servername?: string } {
  return hostname.startsWith("[") || isAddress(hostname) ? {} : { servername: hostname };
}

/**
 * Tunnels through a proxy (CONNECT) with the same checks as direct connections: a host's addresses are looked up and
 * checked here, and the proxy is requested to connect to one of them, not to the name, which it may resolve
 * differently. The certificate must still be valid for the name.
 */
export class ProxyTunnels {
  readonly #make: (hostname: string) => ProxyAgent;
  readonly #rules: AddressRules;
  /** By the name in the certificate, and the address. */
  readonly #agents = new Map<string, ProxyAgent>();

  private constructor(make: (hostname: string) => ProxyAgent, rules: AddressRules) {
    this.#make = make;
    this.#rules = rules;
  }

  /** `options` are those of direct connections; `ca` are the certificates to trust instead of the system's. */
  static async open(
    { url }: Proxy,
    rules: AddressRules,
    options: Agent.Options,
    ca: string | undefined,
  ): Promise<ProxyTunnels> {
    const { ProxyAgent } = await import("undici");
    const trusted = ca === undefined ? {} : { ca };
    const { connect: _, ...rest } = options;
    return new ProxyTunnels(
      (hostname) =>
        new ProxyAgent({ ...rest, uri: url.href, requestTls: { ...trusted, ...namedAs(hostname) }, proxyTls: trusted }),
      rules,
    );
  }

  /** @throws UpdateError "address-refused", "unreachable" */
  async to({ hostname, port }: URL): Promise<Tunnel> {
    const [address] = await checkedAddresses(hostname, this.#rules);
    const key = `${hostname} ${address!}`;
    let agent = this.#agents.get(key);
    if (agent === undefined) this.#agents.set(key, (agent = this.#make(hostname)));
    const host = parseAddress(address!).family === 6 ? `[${address!}]` : address!;
    return { agent, origin: `https://${host}${port === "" ? "" : `:${port}`}` };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }
}
