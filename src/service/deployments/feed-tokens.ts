import { createHmac } from "node:crypto";
import { isSameDigest } from "../../store/api-key.ts";
import type { Deployment } from "../../store/deployment.ts";
import type { SecretKey } from "../access/secret-key.ts";
import type { ServiceMemory } from "../rules/service-memory.ts";

/** Begins every token, so that texts with one in them can be recognized. */
const START = "ipf_";
const ID_BYTES = 16;
/** With the id, a multiple of three: no two texts are the same token. */
const MAC_BYTES = 26;
const TOKEN = /^ipf_[A-Za-z0-9_-]{56}$/;

/**
 * The tokens in the URLs of feeds: the id of a deployment, and what only a server with the key file can add to it. They
 * are not stored: they are made again whenever someone may see them.
 */
export class FeedTokens {
  readonly #key: SecretKey;
  readonly #memory: ServiceMemory;

  constructor(key: SecretKey, memory: ServiceMemory) {
    this.#key = key;
    this.#memory = memory;
  }

  /** @throws ServiceError "conflict" where there is no place for the key */
  tokenOf(deployment: Pick<Deployment, "id" | "organisationId" | "rotation">): string {
    const id = Buffer.from(deployment.id.replaceAll("-", ""), "hex");
    return START + Buffer.concat([id, this.#macOf(deployment, deployment.rotation)]).toString("base64url");
  }

  /** The deployment that the token opens, possibly deleted; undefined for any other text. */
  find(token: string, now: number): Deployment | undefined {
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token.slice(START.length), "base64url");
    const deployment = this.#memory.deploymentById(uuidOf(bytes.subarray(0, ID_BYTES)));
    if (deployment === undefined) return undefined;
    const { rotation, previousUntil } = deployment;
    const valid = previousUntil !== null && now < previousUntil ? [rotation, rotation - 1] : [rotation];
    const mac = bytes.subarray(ID_BYTES).toString("base64url");
    return valid.some((each) => isSameDigest(mac, this.#macOf(deployment, each).toString("base64url")))
      ? deployment
      : undefined;
  }

  #macOf({ id, organisationId }: Pick<Deployment, "id" | "organisationId">, rotation: number): Buffer {
    const secret = this.#key.derive(`feeds ${organisationId}`, "the URLs of feeds");
    return createHmac("sha256", secret).update(`${id} ${rotation}`).digest().subarray(0, MAC_BYTES);
  }
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
