import { existsSync } from "node:fs";
import type { Family, Prefix } from "../../address/address.ts";
import { ageDays } from "../../cbs/catalogue-ages.ts";
import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { BUNDLED_NETWORKS, openNetworksFor, openNetworksSnapshot } from "../../datasets/open-networks.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Network, Networks } from "../../networks/networks.ts";
import { oneLine } from "../runner/one-line.ts";
import { standardError } from "../runner/standard-error.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { currentNetworks, homeFolder } from "./home.ts";

/** `defaultNetworks`, as the help describes it. */
export const DEFAULT_NETWORKS = 'those from the last "ipsieve cbs update", otherwise the bundled ones';
/** In place of a file: networks are left out. */
const NONE = "none";
const DEFAULT = "default";
/** Days after which networks are called old: prefixes move, and are assigned anew. */
const OLD_DAYS = 30;

export const NETWORKS_OPTION: Option = {
  name: "networks",
  value: "FILE|none",
  isPath: true,
  help: `the networks (AS number, organisation, country) to show, or none; default: ${DEFAULT_NETWORKS}`,
};

/** The networks that a command shows by default: those from the last update, else the bundled ones. */
export function defaultNetworks(): string {
  const updated = currentNetworks(homeFolder());
  return existsSync(updated) ? updated : BUNDLED_NETWORKS;
}

/** Networks that are shown beside an answer, which they never make fail: what is wrong with them is said once. */
export class ShownNetworks {
  readonly path: string;
  #snapshot: Snapshot | null = null;
  #networks: Networks | null = null;

  private constructor(path: string) {
    this.path = path;
  }

  /** Opens those that the options name, or the default ones: for addresses of one family, if `only` is given. Never rejects. */
  static async open(args: Arguments, only?: Family): Promise<ShownNetworks> {
    const given = args.value("networks") ?? DEFAULT;
    const path = given === DEFAULT ? defaultNetworks() : given;
    const shown = new ShownNetworks(path);
    if (path === NONE) return shown;
    try {
      const snapshot = await (only === undefined ? openNetworksSnapshot(path) : openNetworksFor(only, path));
      shown.#networks = networksOf(snapshot, path);
      shown.#snapshot = snapshot;
      sayIfOld(path, shown.#networks);
    } catch (error) {
      shown.#leaveOut(error);
    }
    return shown;
  }

  /** Null if they are left out. */
  get opened(): { readonly networks: Networks; readonly snapshot: Snapshot } | null {
    const [networks, snapshot] = [this.#networks, this.#snapshot];
    return networks === null || snapshot === null ? null : { networks, snapshot };
  }

  /** The network of an address, or of all of a prefix; null if it is not known. */
  of(prefix: Prefix): Network | null {
    try {
      return this.#networks?.networkOf(prefix) ?? null;
    } catch (error) {
      this.#leaveOut(error);
      return null;
    }
  }

  #leaveOut(error: unknown): void {
    this.#networks = null;
    const { message } = error as Error;
    const text = message.startsWith(this.path) ? message : `${this.path}: ${message}`;
    standardError().write(
      `ipsieve: ${oneLine(text)}; AS numbers, organisations and countries are left out (--networks FILE names another file)\n`,
    );
  }
}

/** On a terminal only: programs that read the output cannot do anything about it. */
function sayIfOld(path: string, { metadata }: Networks): void {
  if (!process.stderr.isTTY) return;
  const notice = networksNotice(path, new Date(metadata.createdAt), Date.now());
  if (notice !== undefined) standardError().write(`ipsieve: ${notice}\n`);
}

/** The notice about networks of this date; undefined unless they are old. */
export function networksNotice(path: string, createdAt: Date, now: number): string | undefined {
  const days = ageDays(createdAt.getTime(), now);
  if (days <= OLD_DAYS) return undefined;
  const which = path === BUNDLED_NETWORKS ? "the bundled networks" : `the networks in ${oneLine(path)}`;
  return `${which} are ${days} days old (${createdAt.toISOString().slice(0, 10)}); "ipsieve cbs update" fetches current ones`;
}
