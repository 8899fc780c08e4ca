import { generateKeyPairSync, type KeyObject } from "node:crypto";

/** Keys in the text form that `openssl genpkey` and `openssl pkey -pubout` write. */
export interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

export function keyPair(): KeyPair {
  return asTexts(generateKeyPairSync("ed25519"));
}

export function rsaKeyPair(): KeyPair {
  return asTexts(generateKeyPairSync("rsa", { modulusLength: 2048 }));
}

function asTexts({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): KeyPair {
  return {
    privateKey: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    publicKey: String(publicKey.export({ type: "spki", format: "pem" })),
  };
}
