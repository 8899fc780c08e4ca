import type { FastifyReply } from "fastify";

/** Answers with JSON that is written already. As a text, which is sent in one piece with the headers; bytes would take a call of the system more. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}

export function sendText(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).send(text);
}
