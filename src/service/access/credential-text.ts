import {
  digestOfApiKey,
  isApiKeyText,
  makeApiKey,
  type NewApiKey,
  START_CHARACTERS,
} from "../../store/records/api-key.ts";
import { CREDENTIALS, type CredentialKind } from "../../store/records/credential.ts";
import { digestOfToken, isToken, makeToken } from "./secret-token.ts";

/**
 * The text of a new credential: the prefix of its kind and random characters. Shown once; a store gets `digest` and
 * `start`.
 */
export function makeCredentialText(kind: Exclude<CredentialKind, "edge">): NewApiKey {
  if (kind === "api") return makeApiKey();
  const text = CREDENTIALS[kind].prefix + makeToken().text;
  return { text, digest: digestOfToken(text), start: text.slice(0, START_CHARACTERS) };
}

/** The digest of a text that has the form of the kind; of an edge component, the text is the `jti` of its signed token. */
export function digestOfCredential(kind: CredentialKind, text: string): string | undefined {
  if (kind === "api") return isApiKeyText(text) ? digestOfApiKey(text) : undefined;
  const prefix = CREDENTIALS[kind].prefix ?? "";
  return text.startsWith(prefix) && isToken(text.slice(prefix.length)) ? digestOfToken(text) : undefined;
}
