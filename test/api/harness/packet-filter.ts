import { execFileSync } from "node:child_process";

export const DIRECTIONS = ["both", "to the database", "from the database"] as const;

/**
 * A filter between servers and a database on a port of this network namespace. Packets are dropped silently, as when a
 * cable is pulled.
 */
export class PacketFilter {
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
    nft("add table inet partition", "add chain inet partition input { type filter hook input priority 0; }");
  }

  drop(address: string, direction: (typeof DIRECTIONS)[number]): void {
    const rule = (match: string): string => `add rule inet partition input ${match} drop`;
    const to = rule(`ip daddr ${address} tcp dport ${this.#port}`);
    const from = rule(`ip saddr ${address} tcp sport ${this.#port}`);
    nft(...(direction === "both" ? [to, from] : direction === "to the database" ? [to] : [from]));
  }

  clear(): void {
    nft("flush chain inet partition input");
  }
}

function nft(...commands: readonly string[]): void {
  execFileSync("nft", [commands.join("\n")]);
}
