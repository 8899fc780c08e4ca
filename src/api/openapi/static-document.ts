import type { FastifyReply, FastifyRequest } from "fastify";
import { isKnown } from "../http/entity-tags.ts";
import { tagOf } from "../../service/rules/tags.ts";
import { SharedCache } from "../../service/shared-cache.ts";
import { sendShared } from "../http/shared-file.ts";

/**
 * A document that does not change while the server runs: written at the first call, and compressed once per coding. The
 * bytes are shared by all responses, because anyone may request the document a thousand times at once without reading
 * it.
 */
export class StaticDocument {
  readonly #type: string;
  readonly #write: () => string;
  readonly #files = new SharedCache<Buffer>(Infinity);
  #made: { readonly bytes: Buffer; readonly tag: string } | undefined;

  constructor(type: string, write: () => string) {
    this.#type = `${type}; charset=utf-8`;
    this.#write = write;
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { bytes, tag } = (this.#made ??= this.#make());
    if (isKnown(request, reply, tag)) return reply.code(304).send();
    return sendShared(request, reply, this.#files, {
      key: tag,
      type: this.#type,
      effort: "forAll",
      make: async () => bytes,
    });
  }

  #make(): { readonly bytes: Buffer; readonly tag: string } {
    const text = this.#write();
    return { bytes: Buffer.from(text), tag: tagOf(text) };
  }
}
