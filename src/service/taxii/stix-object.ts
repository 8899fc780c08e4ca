import { formatPrefix } from "../../address/prefix.ts";
import { type IndicatorVersion, prefixOfKey } from "../../store/records/indicator.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";

/** The properties that all indicators of a collection share. */
export interface IndicatorContext {
  /** The UUID of the identity of the organisation. */
  readonly identity: string;
  /** The `indicator_type` of indicators whose source does not specify one. */
  readonly kind: string;
}

/** The STIX object of a version, as JSON. Concatenated: keys, ids and times contain nothing that JSON escapes. */
export function stixObject(version: IndicatorVersion, { identity, kind: usual }: IndicatorContext): string {
  const [, , key, name, kind, created, modified, expiresAt, revoked] = version;
  const type = key === "" ? "identity" : "indicator";
  const start = `{"type":"${type}","spec_version":"2.1","id":"${stixId(version)}"`;
  const times = `"created":"${formatTimestamp(created)}","modified":"${formatTimestamp(modified)}"`;
  if (key === "") return `${start},${times},"name":${JSON.stringify(name)},"identity_class":"organization"}`;
  const prefix = prefixOfKey(key);
  const text = formatPrefix(prefix);
  const until = expiresAt === null || expiresAt <= created ? "" : `,"valid_until":"${formatTimestamp(expiresAt)}"`;
  return `${start},"created_by_ref":"identity--${identity}",${times}${revoked === 1 ? ',"revoked":true' : ""},"name":${name === null ? `"${text}"` : JSON.stringify(name)},"indicator_types":["${kind ?? usual}"],"pattern":"[ipv${prefix.family}-addr:value = '${text}']","pattern_type":"stix","valid_from":"${formatTimestamp(created)}"${until}}`;
}

/** The id of the STIX object of a version. */
function stixId([, id, key]: IndicatorVersion): string {
  return `${key === "" ? "identity" : "indicator"}--${id}`;
}

/** The entry of a version in a manifest, as JSON. */
export function manifestEntry(version: IndicatorVersion, mediaType: string): string {
  const [added, , , , , , modified] = version;
  return `{"id":"${stixId(version)}","date_added":"${formatMicroseconds(added)}","version":"${formatTimestamp(modified)}","media_type":"${mediaType}"}`;
}

/** ISO 8601 in UTC with microseconds and `Z`. */
export function formatMicroseconds(time: number): string {
  const text = new Date(Math.floor(time / 1000)).toISOString().slice(0, -1);
  return `${text}${String(time % 1000).padStart(3, "0")}Z`;
}
