import { quoted } from "../../address/address-error.ts";
import { nearest } from "../../words/nearest.ts";
import { FIELD_NAMES, type SearchField, searchField } from "./search-fields.ts";

/** What is wrong with a name, and the name that was probably meant. */
export interface UnknownName {
  readonly problem: string;
  readonly meant: string | undefined;
}

/** About a name that no field has. */
export function unknownField(name: string): UnknownName {
  const meant = nearest(name, FIELD_NAMES) ?? nearest(name.toLowerCase(), FIELD_NAMES) ?? endingWith(name);
  const cure =
    meant === undefined ? "; the fields are those of documents, such as tag, country, port or last_seen" : "";
  return { problem: `there is no field ${quoted(name)}${cure}`, meant };
}

/** The field with this name if its values can be counted; otherwise, in words, why not. */
export function countedField(name: string): SearchField | string {
  const field = searchField(name);
  if (field?.name === "ip") return "each document has an ip of its own; search for the documents instead";
  if (field !== undefined) return field;
  const { problem, meant } = unknownField(name);
  return meant === undefined ? problem : `${problem}; did you mean ${meant}?`;
}

/** `code` alone means no field, but `ssh.auth.user` and `country_code` come near one by their last part. */
function endingWith(name: string): string | undefined {
  const last = name.toLowerCase().split(".").at(-1)!;
  return FIELD_NAMES.find((known) => known.endsWith(`.${last}`));
}
