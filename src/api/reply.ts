import type { FastifyReply } from "fastify";

/** Answers with JSON that is written already. As bytes, so that no charset is appended to its type. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type("application/json").send(Buffer.from(json));
}

export function sendText(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).send(text);
}
