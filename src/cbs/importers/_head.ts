import { type JsonObject, memberOf } from "./_json.ts";
import type { ListBuilder } from "./imported-list.ts";

/** The members that say when a list was made, under the names that publishers use. */
const TIMES = [
  "creationTime",
  "createDate",
  "creationDate",
  "created_at",
  "updated_at",
  "updated",
  "last_updated_timestamp",
  "last_updated",
  "last_updated_at",
  "modified",
  "date",
];
const VERSIONS = ["syncToken", "changeNumber", "version"];

/** Reads what the head of a list says about itself. */
export function readHead(list: ListBuilder, root: JsonObject): void {
  const time = TIMES.find((name) => root[name] !== undefined);
  if (time !== undefined) list.publish(root[time], memberOf("$", time));
  const version = VERSIONS.map((name) => root[name]).find(
    (value) => typeof value === "string" || typeof value === "number",
  );
  if (version !== undefined) list.version = String(version);
}
