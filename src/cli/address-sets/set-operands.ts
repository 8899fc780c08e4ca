import type { Prefix } from "../../address/address.ts";
import { parsePrefix } from "../../address/prefix.ts";
import type { Client } from "../../client/client.ts";
import { ProblemError } from "../../client/errors.ts";
import { gatheringPrefixes } from "../../deployments/gathered.ts";
import type { Capability } from "../../sets/capability.ts";
import { finished } from "../../turns/finished.ts";
import { AddressSet } from "../../sets/address-set.ts";
import {
  ADDRESS_NOTE,
  ADDRESS_OPTIONS,
  addressesOf,
  gatheredOf,
  gatheredVoter,
  isOfDataset,
  nowOf,
  type SetUse,
} from "./address-operand.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { LIST, RULESET, serverSource } from "./server-source.ts";
import { ATLEAST, countedVote, voteIn } from "./vote-operand.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Options of commands whose operands are sets in files, or of a server. */
export const SET_OPTIONS: readonly Option[] = [...ADDRESS_OPTIONS, ...CONNECTION_OPTIONS];

/** What such an operand can be. */
export const SET_NOTES: readonly string[] = [
  ADDRESS_NOTE,
  "A set of a server is ruleset:NAME (or its id), for its active rules, or list:NAME for an external list; both can vote beside files in atleast:K;SET;SET...; with --server, cbs:NODE, cti:SELECTION, cti:QUERY, asn:NUMBER and country:CODE are the server's, too, as of now. Files and prefixes can be combined with them: they are not sent to the server.",
  KEY_NOTE,
];

/** Options about datasets of this machine, and their moment, which a server does not read. */
const OF_FILES = ["snapshot", "threats", "networks", "now"];

/** Reads the sets that a command is about, in files or on a server. */
export class SetOperands {
  readonly #args: Arguments;
  readonly #now: number;
  readonly #connection: ServiceConnection | undefined;
  readonly #expresses: Capability | undefined;
  #expressible = AddressSet.EMPTY;

  /**
   * `operands`: all of them. `expresses`: what can be written of the result. Throws UsageError for options that do not go with them, and
   * for a server without a key.
   */
  constructor(args: Arguments, operands: readonly string[], expresses?: Capability) {
    this.#args = args;
    this.#expresses = expresses;
    this.#now = nowOf(args);
    const ofServer = operands.find((operand) => this.#isOfServer(operand));
    if (ofServer === undefined && args.has("server"))
      throw new UsageError(
        "--server: none of the sets is the server's; write ruleset:NAME, list:NAME, cbs:NODE, cti:SELECTION, cti:QUERY, asn:NUMBER or country:CODE, or leave it out",
      );
    const useless = ofServer === undefined ? undefined : OF_FILES.find((option) => args.has(option));
    if (useless !== undefined)
      throw new UsageError(`--${useless} is for files, and ${ofServer} is the server's; leave one of them out`);
    this.#connection = ofServer === undefined ? undefined : new ServiceConnection(args);
  }

  /** Throws UsageError, also for what the server rejects, and the errors of opening files. */
  async addressesOf(operand: string, use: Pick<SetUse, "protects"> = {}): Promise<AddressSet> {
    const expresses = this.#expresses;
    if (this.#isOfServer(operand)) {
      const prefixes = await this.#connection!.use((client) =>
        prefixesWithServer(this.#args, operand, this.#now, client, (each) => this.#isOfServer(each)),
      );
      const { addresses, expressible } = finished(gatheringPrefixes(operand, prefixes, expresses));
      this.#add(expressible);
      return addresses;
    }
    if (expresses === undefined) return addressesOf(this.#args, operand, this.#now, use);
    const { addresses, expressible } = await gatheredOf(this.#args, operand, this.#now, { ...use, expresses });
    this.#add(expressible);
    return addresses;
  }

  /** The addresses of all prefixes read so far that can be expressed. */
  get expressible(): AddressSet {
    return this.#expressible;
  }

  #add(expressible: AddressSet | undefined): void {
    if (expressible !== undefined) this.#expressible = this.#expressible.union(expressible);
  }

  /** All of them together. */
  async unionOf(operands: readonly string[], use: Pick<SetUse, "protects"> = {}): Promise<AddressSet> {
    let union = AddressSet.EMPTY;
    for (const operand of operands) union = union.union(await this.addressesOf(operand, use));
    return union;
  }

  #isOfServer(operand: string): boolean {
    return someSet(operand, (set) => isOnServer(set) || (this.#args.has("server") && isOfDataset(set)));
  }
}

/**
 * The addresses of a set of which only rulesets and external lists are a server's. Throws UsageError, also for what the
 * server rejects, and the errors of opening files.
 */
export async function addressesAnywhere(args: Arguments, operand: string, now: number): Promise<AddressSet> {
  if (!someSet(operand, isOnServer)) return addressesOf(args, operand, now);
  const prefixes = await new ServiceConnection(args).use((client) =>
    prefixesWithServer(args, operand, now, client, isOnServer),
  );
  return AddressSet.of(prefixes);
}

function isOnServer(operand: string): boolean {
  return [RULESET, LIST].some((prefix) => operand.startsWith(prefix));
}

/** Whether it holds for an operand, or, if it is a vote, for one of its voters. Throws UsageError for a malformed vote. */
function someSet(operand: string, holds: (operand: string) => boolean): boolean {
  return operand.startsWith(ATLEAST) ? voteIn(operand).voters.some(holds) : holds(operand);
}

/** The prefixes of a set of a server, or of a vote that has some: it is counted here, so that files can vote, too. */
async function prefixesWithServer(
  args: Arguments,
  operand: string,
  now: number,
  client: Client,
  isOfServer: (operand: string) => boolean,
): Promise<readonly Prefix[]> {
  if (!operand.startsWith(ATLEAST)) return prefixesOnServer(operand, client);
  const { least, voters, weights } = countedVote(operand);
  const sets: AddressSet[] = [];
  for (const voter of voters)
    sets.push(
      isOfServer(voter)
        ? AddressSet.of(await prefixesOnServer(voter, client))
        : (await gatheredVoter(args, voter, now)).addresses,
    );
  return [...AddressSet.atLeast(least, sets, weights).prefixes()];
}

async function prefixesOnServer(operand: string, client: Client): Promise<Prefix[]> {
  const source = (await serverSource(operand, client))!;
  const { prefixes } = await client
    .post("/v1/sets:compute", { body: { operation: "union", sets: [source] } })
    .catch((error: unknown) => {
      throw rejected(error, operand);
    });
  return prefixes.map((prefix) => parsePrefix(prefix));
}

/** An error of the server about the set names the operand; other errors are unchanged. */
function rejected(error: unknown, operand: string): unknown {
  const messages = error instanceof ProblemError ? Object.values(error.validationErrors).flat() : [];
  return messages.length === 0 ? error : new UsageError(`${operand}: ${messages.join("; ")}`);
}
