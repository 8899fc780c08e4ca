import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { isSameDigest } from "../../store/api-key.ts";
import type { Deployment } from "../../store/deployment.ts";
import { ServiceError } from "../service-error.ts";
import type { ServiceMemory } from "../rules/service-memory.ts";

/** Begins every token, so that texts with one in them can be recognized. */
const START = "ipf_";
const ID_BYTES = 16;
/** With the id, a multiple of three: no two texts are the same token. */
const MAC_BYTES = 26;
const KEY_BYTES = 32;
const TOKEN = /^ipf_[A-Za-z0-9_-]{56}$/;

/**
 * The tokens in the URLs of feeds: the id of a deployment, and what only a server with the key file can add to it. They
 * are not stored: they are made again whenever someone may see them.
 */
export class FeedTokens {
  readonly #path: string | undefined;
  readonly #memory: ServiceMemory;
  readonly #secrets = new Map<string, Buffer>();
  #key: Buffer | undefined;

  /** `path`: where the key file is, or is to be made; undefined: there is no place for it. */
  constructor(path: string | undefined, memory: ServiceMemory) {
    this.#path = path;
    this.#memory = memory;
  }

  /** Whether there is a place for the key. */
  get haveKeyFile(): boolean {
    return this.#path !== undefined;
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
    const mac = createHmac("sha256", this.#secretOf(organisationId)).update(`${id} ${rotation}`).digest();
    return mac.subarray(0, MAC_BYTES);
  }

  #secretOf(organisationId: string): Buffer {
    const known = this.#secrets.get(organisationId);
    const secret = known ?? Buffer.from(hkdfSync("sha256", this.#readKey(), "", `feeds ${organisationId}`, KEY_BYTES));
    this.#secrets.set(organisationId, secret);
    return secret;
  }

  #readKey(): Buffer {
    if (this.#path === undefined)
      throw new ServiceError(
        "conflict",
        "the server has no key file, which the URLs of feeds need; the operator sets --secret-key-file, the same file for all servers",
      );
    return (this.#key ??= readOrMake(this.#path));
  }
}

/** Only its owner may read it. Of several servers that start at once, one makes it. */
function readOrMake(path: string): Buffer {
  if (!existsSync(path)) makeKey(path);
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "base64url");
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path}: not a key file of ipsieve: it must have ${KEY_BYTES} bytes in base64url; restore it`);
}

/** Written elsewhere first: another server must not read half of it. */
function makeKey(path: string): void {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(temporary, `${randomBytes(KEY_BYTES).toString("base64url")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(temporary);
  }
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
