import type { FastifyReply, FastifyRequest } from "fastify";
import { compress, type Effort, MIN_COMPRESSED } from "./compress.ts";
import { chooseCoding, setCoding, vary } from "./content-coding.ts";
import type { SharedCache } from "../../service/shared-cache.ts";

export interface SharedFile {
  /** Contains everything it depends on. */
  readonly key: string;
  readonly type: string;
  readonly effort: Effort;
  make(): Promise<Buffer>;
}

/**
 * Sends a file that several clients request: it is made once, and compressed once per coding. All responses share its
 * bytes.
 */
export async function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  files: SharedCache<Buffer>,
  { key, type, effort, make }: SharedFile,
): Promise<FastifyReply> {
  vary(reply, "Accept-Encoding");
  reply.type(type);
  const bytes = await files.get(key, make);
  const coding = chooseCoding(request);
  if (coding === undefined || bytes.length < MIN_COMPRESSED) return reply.send(bytes);
  const coded = await files.get(`${coding} ${key}`, () => compress(bytes, coding, effort));
  setCoding(reply, coding);
  return reply.send(coded);
}
