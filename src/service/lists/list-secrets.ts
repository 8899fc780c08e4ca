import { CONTROL } from "../../rulesets/validate-rule.ts";
import type { ListCredentials } from "../../store/records/external-list.ts";
import type { SecretKey } from "../access/secret-key.ts";
import { invalid } from "../service-error.ts";

/** What an admin enters: a user name and a password, or a header. */
export type GivenCredentials =
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "header"; readonly header: string; readonly value: string };

interface Sealed {
  readonly listId: string;
  readonly origin: string;
  readonly header: string;
  readonly value: string;
}

/** Whose credentials they are, and where they may be sent. */
interface About {
  readonly organisationId: string;
  readonly listId: string;
  readonly origin: string;
}

const USER = "the credentials of external lists";
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const VALUE = /^[\x21-\x7e]([\x20-\x7e]{0,3998}[\x21-\x7e])?$/;
/** Headers that are not credentials. */
const TAKEN =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept.*|range|if-.*|user-agent|date|via|forwarded|x-forwarded-.*)$/i;

/** Credentials of external lists, which are stored encrypted and sent to their own origin only. */
export class ListSecrets {
  readonly #key: SecretKey;

  constructor(key: SecretKey) {
    this.#key = key;
  }

  /** The stored form of credentials. @throws ServiceError "invalid"; "conflict" where the server has no key file */
  seal(given: GivenCredentials, about: About): { readonly credentials: ListCredentials; readonly secret: string } {
    const header = given.type === "basic" ? "authorization" : checkedHeader(given.header).toLowerCase();
    const value = given.type === "basic" ? basic(given) : checkedValue(given.value);
    const sealed: Sealed = { listId: about.listId, origin: about.origin, header, value };
    const secret = this.#key.seal(purposeOf(about), USER, JSON.stringify(sealed));
    const name = given.type === "basic" ? given.username : given.header;
    return { credentials: { type: given.type, name, origin: about.origin }, secret };
  }

  /** The headers to send; none to another origin. @throws SealError */
  open(secret: string | null, about: About): Readonly<Record<string, string>> {
    if (secret === null) return {};
    const { listId, origin, header, value } = JSON.parse(this.#key.open(purposeOf(about), USER, secret)) as Sealed;
    return listId === about.listId && origin === about.origin ? { [header]: value } : {};
  }
}

function purposeOf({ organisationId }: About): string {
  return `external lists ${organisationId}`;
}

function basic({ username, password }: Extract<GivenCredentials, { type: "basic" }>): string {
  if (username.includes(":")) throw invalid({ "credentials.username": ["must have no colon"] });
  if (CONTROL.test(username)) throw invalid({ "credentials.username": ["must have no control characters"] });
  for (const [name, text] of Object.entries({ username, password }))
    if (!text.isWellFormed()) throw invalid({ [`credentials.${name}`]: ["must have no half of a surrogate pair"] });
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function checkedHeader(name: string): string {
  if (HEADER.test(name) && !TAKEN.test(name)) return name;
  throw invalid({
    "credentials.header": ["must be the name of a header that carries credentials, as Authorization or X-Api-Key"],
  });
}

function checkedValue(value: string): string {
  if (VALUE.test(value)) return value;
  throw invalid({ "credentials.value": ["must be visible ASCII characters, with spaces only in between"] });
}
