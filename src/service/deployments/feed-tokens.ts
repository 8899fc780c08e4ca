import { createHmac } from "node:crypto";
import { isSameDigest } from "../../store/records/api-key.ts";
import { type Deployment, validRotations } from "../../store/records/deployment.ts";
import type { SecretKey } from "../access/secret-key.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/** The prefix of every token, so that tokens can be recognized within texts. */
const START = "ipf_";
const ID_BYTES = 16;
/** Together with the id, a multiple of three bytes, so that no two texts decode to the same token. */
const MAC_BYTES = 26;
/** Tokens kept in memory; usually more than a server has deployments. */
const MAX_KEPT = 20_000;

type Owned = Pick<Deployment, "id" | "organisationId">;

/**
 * The tokens in the URLs of feeds: the id of a deployment, and a code that only a server with the key file can compute.
 * They are not stored: each server computes them when they are first needed and keeps them in memory, because computing
 * one takes a third of the time of a request.
 */
export class FeedTokens {
  readonly #key: SecretKey;
  readonly #memory: ServiceMemory;
  /** By deployment and rotation. Only existing deployments have entries; requests cannot add others. */
  readonly #made = new Map<string, string>();

  constructor(key: SecretKey, memory: ServiceMemory) {
    this.#key = key;
    this.#memory = memory;
  }

  /** @throws ServiceError "conflict" if no path of the key file is configured */
  tokenOf(deployment: Pick<Deployment, "id" | "organisationId" | "rotation">): string {
    return this.#tokenOf(deployment, deployment.rotation);
  }

  /** The deployment that the token opens, possibly deleted; undefined for any other text. */
  find(token: string, now: number): Deployment | undefined {
    const id = Buffer.from(token.slice(START.length), "base64url").subarray(0, ID_BYTES);
    const deployment = this.#memory.deploymentById(uuidOf(id));
    if (deployment === undefined) return undefined;
    const opens = (rotation: number): boolean => isSameDigest(token, this.#tokenOf(deployment, rotation));
    return validRotations(deployment, now).some(opens) ? deployment : undefined;
  }

  /** How long a token of the deployment stays valid unless the deployment changes; Infinity: it is the current one. */
  endOf(token: string, deployment: Deployment): number {
    if (token === this.#tokenOf(deployment, deployment.rotation)) return Number.POSITIVE_INFINITY;
    return deployment.previous.find(({ rotation }) => token === this.#tokenOf(deployment, rotation))?.until ?? 0;
  }

  #tokenOf(deployment: Owned, rotation: number): string {
    const name = `${deployment.id} ${rotation}`;
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const id = Buffer.from(deployment.id.replaceAll("-", ""), "hex");
    const token = START + Buffer.concat([id, this.#macOf(deployment, rotation)]).toString("base64url");
    if (this.#made.size >= MAX_KEPT) this.#made.clear();
    this.#made.set(name, token);
    return token;
  }

  #macOf({ id, organisationId }: Owned, rotation: number): Buffer {
    const secret = this.#key.derive(`feeds ${organisationId}`, "the URLs of feeds");
    return createHmac("sha256", secret).update(`${id} ${rotation}`).digest().subarray(0, MAC_BYTES);
  }
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
