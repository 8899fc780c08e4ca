import type { NewApiKey } from "../../store/records/api-key.ts";
import { digestOfToken, isToken, makeToken } from "../access/secret-token.ts";

/**
 * The prefix of every bouncer key, so that no one mistakes it for an API key, and keys can be recognized within texts.
 */
const START = "ipb_";
/** Characters of the text that are kept, to distinguish keys. */
const START_CHARACTERS = 8;

/** A new key of a bouncer: `ipb_` and 43 random characters. Shown once; a store gets `digest` and `start`. */
export function makeBouncerKey(): NewApiKey {
  const text = START + makeToken().text;
  return { text, digest: digestOfToken(text), start: text.slice(0, START_CHARACTERS) };
}

/** The digest of a text that has the form of a key. */
export function digestOfBouncerKey(text: string): string | undefined {
  return text.startsWith(START) && isToken(text.slice(START.length)) ? digestOfToken(text) : undefined;
}
