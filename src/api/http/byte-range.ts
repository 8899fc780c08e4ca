import type { FastifyRequest } from "fastify";

/** Bytes of a file: from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of a file of `length` bytes that the request is for (RFC 9110, section 14); undefined: all of it. A range is
 * ignored, as a server may, if it is one of several, not one of bytes, or has no byte of the file; and if its If-Range
 * has another tag than the file, whose beginning the client does not have then.
 */
export function readByteRange({ headers }: FastifyRequest, tag: string, length: number): ByteRange | undefined {
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== tag) return undefined;
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? length : Math.min(Number(last) + 1, length);
  return start < end ? { start, end } : undefined;
}
