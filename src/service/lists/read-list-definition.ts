import type { ExternalListDefinition } from "../../store/records/external-list.ts";
import { initialOf } from "../fields.ts";
import { invalid } from "../service-error.ts";
import { LIST_FIELDS, MAX_URL } from "./list-fields.ts";

/** The definition of a new list. @throws ServiceError "invalid" */
export function readNewList({
  url,
  ...fields
}: Pick<ExternalListDefinition, "url"> & Partial<ExternalListDefinition>): ExternalListDefinition {
  return { ...initialOf(LIST_FIELDS), ...fields, url: checkedUrl(url) };
}

/** What a request changes. @throws ServiceError "invalid" */
export function readListChanges({ url, ...fields }: Partial<ExternalListDefinition>): Partial<ExternalListDefinition> {
  return { ...fields, ...(url !== undefined && { url: checkedUrl(url) }) };
}

/** The addresses of its host: `ExternalLists.checkHost`. */
function checkedUrl(text: string): string {
  const url = URL.parse(text);
  const reject = (problem: string): never => {
    throw invalid({ url: [problem] });
  };
  // It would be parsed with another character in its place.
  if (!text.isWellFormed()) return reject("has half a surrogate pair; remove it");
  if (url === null) return reject("is not a URL; write it as https://lists.example.org/list.txt");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isThisMachine(url.hostname)))
    return reject("must begin with https://");
  if (url.username !== "" || url.password !== "")
    return reject("must have no user name and password; an admin adds credentials to the list");
  url.hash = "";
  // Percent-encoding characters outside ASCII makes the URL longer.
  if (url.href.length > MAX_URL) return reject(`must have at most ${MAX_URL} characters, encoded`);
  return url.href;
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
