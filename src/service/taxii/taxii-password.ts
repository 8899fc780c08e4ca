import type { NewApiKey } from "../../store/records/api-key.ts";
import { digestOfToken, isToken, makeToken } from "../access/secret-token.ts";

/** The prefix of every TAXII password, so that passwords can be recognized within texts. */
const START = "ipt_";
/** Characters of the text that are kept: they are the user name that belongs to it. */
const START_CHARACTERS = 8;

/** A new password for TAXII: `ipt_` and 43 random characters. Shown once; a store gets `digest` and `start`. */
export function makeTaxiiPassword(): NewApiKey {
  const text = START + makeToken().text;
  return { text, digest: digestOfToken(text), start: text.slice(0, START_CHARACTERS) };
}

/** The digest of a text that has the form of a password for TAXII. */
export function digestOfTaxiiPassword(text: string): string | undefined {
  return text.startsWith(START) && isToken(text.slice(START.length)) ? digestOfToken(text) : undefined;
}
