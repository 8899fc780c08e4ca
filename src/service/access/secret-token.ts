import { hash, randomBytes } from "node:crypto";

/** 256 random bits as 43 characters of base64url. */
const BYTES = 32;
const PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** A secret that is shown or sent once: of a session, an invitation, or the first start. Only its digest is stored. */
export interface NewToken {
  readonly text: string;
  readonly digest: string;
}

export function makeToken(): NewToken {
  const text = randomBytes(BYTES).toString("base64url");
  return { text, digest: digestOfToken(text) };
}

/** Whether the text has the form of a token. */
export function isToken(text: string): boolean {
  return PATTERN.test(text);
}

/** SHA-256 in base64url. No salt is needed, because no one can try 2^256 texts. */
export function digestOfToken(text: string): string {
  return hash("sha256", text, "base64url");
}
