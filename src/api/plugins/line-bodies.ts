import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type TSchema, Type } from "typebox";
import type { AddressError } from "../../address/address-error.ts";
import { AddressBatch } from "../../service/address-batch.ts";
import type { DocumentForm } from "../../service/address-documents.ts";
import { invalid } from "../../service/service-error.ts";
import type { App } from "../app-type.ts";
import { requireCaller } from "./authentication.ts";
import { bodySchema, withBodies } from "./bodies.ts";
import type { ArrivingBody } from "../http/arriving-body.ts";
import { sendText, streamOf } from "../http/reply.ts";
import { lookUpLines, type LookUpTexts } from "../http/lookup-lines.ts";

/** Lines of JSON. */
export const LINES = "application/x-ndjson";
/** Bodies of these types are streams of addresses, one per line. */
export const LINE_TYPES = [LINES, "text/plain"];

/** For descriptions of operations. `document` says what the response has for each line. */
export function describeLines(most: number, document: string): string {
  return `A JSON body has at most ${most} addresses; the response is lines if Accept is ${LINES}. A body of ${LINES} (a string, or an object with the property ip, per line) or text/plain (an address per line) may be of any length: the response is sent while the body arrives, line by line, ${document}; for an invalid line it has the line number and the error.`;
}

/** Adds routes whose bodies may be JSON, or endless streams of lines. */
export function withLineBodies(app: App, addRoutes: (app: App) => void): void {
  withBodies(app, { types: LINE_TYPES, isStream: true }, addRoutes);
}

/** The schema of a body that is JSON, or a stream of lines. */
export function lineBody(json: TSchema): object {
  return bodySchema(json, LINE_TYPES, Type.Any());
}

/** @throws ServiceError "invalid" for a request without a body */
export function requireBody(body: unknown): void {
  if (body === undefined)
    throw invalid({ body: [`is missing; send a JSON document, or lines as ${LINE_TYPES.join(" or ")}`] });
}

/**
 * Responds to the addresses of a stream while it arrives. It ends early, with a line that says why, if the caller loses
 * access or `lookUp` throws a Problem.
 */
export function sendLookups(
  request: FastifyRequest,
  reply: FastifyReply,
  body: ArrivingBody,
  lookUp: LookUpTexts,
): FastifyReply {
  const confirmed: LookUpTexts = (texts) => {
    requireCaller(request);
    return lookUp(texts);
  };
  return reply.type(LINES).send(Readable.from(lookUpLines(confirmed, body)));
}

/** Looks up the texts of a stream by one batch; `documentsOf` gives the document of each text of the batch, by index. */
export function answerBatch(
  texts: readonly string[],
  documentsOf: (batch: AddressBatch) => readonly string[],
): (string | AddressError)[] {
  const answers: (string | AddressError | undefined)[] = Array.from({ length: texts.length });
  const onMalformed = (index: number, error: AddressError): boolean => {
    answers[index] = error;
    return true;
  };
  const documents = documentsOf(new AddressBatch(texts, onMalformed, { isDistinct: false }));
  let index = 0;
  return answers.map((answer) => answer ?? documents[index++]!);
}

/**
 * Sends documents that were written in parts: a short response in one piece, a long one no faster than the client
 * reads.
 */
export function sendDocuments(
  reply: FastifyReply,
  parts: Iterable<string>,
  { form, isShort }: { readonly form: DocumentForm; readonly isShort: boolean },
): FastifyReply {
  const type = form === "map" ? "application/json" : LINES;
  if (isShort) return sendText(reply, type, [...parts].join(""));
  return reply.type(`${type}; charset=utf-8`).send(streamOf(parts));
}
