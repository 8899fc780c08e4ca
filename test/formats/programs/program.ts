import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, request, type RequestOptions } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "../../../src/address/address.ts";
import { formatAddress } from "../../../src/address/format-address.ts";
import type { CatalogueTree } from "../../../src/cbs/catalogue-tree.ts";

/** A third-party program that looks up addresses in an exported catalogue. */
export interface Program {
  readonly name: string;
  /** Why the program cannot be tested here; false if it can. */
  readonly missing: string | false;
  /** The maximum number of addresses of a large catalogue to look up: each may cost a process. */
  readonly most: number;
  /** Its answer to each address, from an export in `folder`. */
  answers(tree: CatalogueTree, addresses: readonly Address[], folder: string): Promise<string[]>;
  /** The correct answer, from the catalogue itself. */
  expected(tree: CatalogueTree, address: Address): string;
}

/** The ids of all nodes of an address. */
export function idsOf({ catalogue }: CatalogueTree, address: Address): string[] {
  return catalogue.nodesOf(catalogue.table.lookupAddress(address)).map(({ id }) => id);
}

/**
 * Queries a server on a socket, which answers the address in the header X-Real-IP with a text; then ends the server.
 */
export async function askServer(
  server: ChildProcess,
  socketPath: string,
  addresses: readonly Address[],
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ended = once(server, "close");
  const ask = (ip: string): Promise<string> => bodyOf({ agent, socketPath, headers: { "X-Real-IP": ip } });
  try {
    await isListening(server, () => ask("192.0.2.1"));
    const answers: string[] = [];
    for (const address of addresses) answers.push(await ask(formatAddress(address)));
    return answers;
  } finally {
    agent.destroy();
    server.kill();
    await ended;
  }
}

async function isListening(server: ChildProcess, ask: () => Promise<string>): Promise<void> {
  while (server.exitCode === null) {
    try {
      await ask();
      return;
    } catch {
      await sleep(20);
    }
  }
  throw new Error(`${server.spawnfile} ended with exit code ${server.exitCode}`);
}

function bodyOf(options: RequestOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`status ${response.statusCode} for ${JSON.stringify(options.headers)}: ${body}`));
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}
