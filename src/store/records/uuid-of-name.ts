import { hash } from "node:crypto";

/** The namespace of this service's names, so that the same text elsewhere gives another UUID. */
const NAMESPACE = Buffer.from("1d0c2b6f4e8a5c939b7e52f7a3c61d48", "hex");

/** The UUID of version 5 (RFC 9562) that belongs to a name: always the same. About a microsecond. */
export function uuidOfName(name: string): string {
  const digest = hash("sha1", Buffer.concat([NAMESPACE, Buffer.from(name)]), "hex");
  const variant = ((Number.parseInt(digest[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}
