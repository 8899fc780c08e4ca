import { createECDH, createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import type { SecretKey } from "../access/secret-key.ts";

/** What a token opens: the bootstrap operation, or the operations after it. Never both. */
export type EdgeUse = "bootstrap" | "access";

/** The claims of a token. The component reads some of them without verifying the token. */
export interface EdgeClaims {
  readonly iss: string;
  /** The id of the credential, which may be revoked. */
  readonly jti: string;
  readonly use: EdgeUse;
  readonly component_type: string;
  readonly deployment_id: string;
  /** The organisation. */
  readonly workspace_id: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp?: number;
}

interface Keys {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Readonly<Record<string, string>>;
}

const PURPOSE = "edge tokens";
const USER = "tokens of edge components";
const CURVE = "prime256v1";
const COORDINATE_BYTES = 32;
const PARTS = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
const MAX_LENGTH = 4096;

/**
 * Signs and checks the tokens of edge components: JWT with ES256 and no other algorithm. The signing key is derived
 * from the key file, so that all servers have the same one and none is stored.
 */
export class EdgeTokens {
  readonly #secretKey: SecretKey;
  #keys: Keys | undefined;

  constructor(secretKey: SecretKey) {
    this.#secretKey = secretKey;
  }

  /** The public keys, as a JWK set. @throws ServiceError "conflict" where there is no key file */
  keySet(): object {
    const { id, jwk } = this.#known();
    return { keys: [{ ...jwk, kid: id, use: "sig", alg: "ES256" }] };
  }

  /** @throws ServiceError "conflict" where there is no key file */
  sign(claims: EdgeClaims): string {
    const { id, privateKey } = this.#known();
    const text = `${encoded({ alg: "ES256", typ: "JWT", kid: id })}.${encoded(claims)}`;
    const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${text}.${signature.toString("base64url")}`;
  }

  /** The claims of the token if it is ours, for this use, and has not expired; undefined for any other text. */
  read(token: string, use: EdgeUse, now: number): EdgeClaims | undefined {
    const [, header, payload, signature] = (token.length <= MAX_LENGTH && PARTS.exec(token)) || [];
    if (header === undefined || decoded(header)?.["alg"] !== "ES256") return undefined;
    const key = { key: this.#known().publicKey, dsaEncoding: "ieee-p1363" } as const;
    const isOurs = verify("sha256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature!, "base64url"));
    const claims = isOurs ? (decoded(payload!) as EdgeClaims | undefined) : undefined;
    return claims?.use === use && now < 1000 * (claims.exp ?? Infinity) ? claims : undefined;
  }

  #known(): Keys {
    return (this.#keys ??= keysOf(this.#secretKey.derive(PURPOSE, USER)));
  }
}

function keysOf(secret: Buffer): Keys {
  // Below the order of the curve, whose first bit is set.
  const scalar = Buffer.from(secret);
  scalar[0]! &= 0x7f;
  const curve = createECDH(CURVE);
  curve.setPrivateKey(scalar);
  const point = curve.getPublicKey();
  const coordinate = (index: number): string =>
    point.subarray(1 + index * COORDINATE_BYTES, 1 + (index + 1) * COORDINATE_BYTES).toString("base64url");
  // In the order in which RFC 7638 hashes it.
  const jwk = { crv: "P-256", kty: "EC", x: coordinate(0), y: coordinate(1) };
  return {
    id: hash("sha256", JSON.stringify(jwk), "base64url"),
    privateKey: createPrivateKey({ key: { ...jwk, d: scalar.toString("base64url") }, format: "jwk" }),
    publicKey: createPublicKey({ key: jwk, format: "jwk" }),
    jwk,
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decoded(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
