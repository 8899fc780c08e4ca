import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { positionIn } from "../../../service/changes/change-tails.ts";
import { changesIn, changeText } from "../../../service/changes/change-text.ts";
import type { Services } from "../../../service/services.ts";
import type { EventPage } from "../../../store/event.ts";
import { Slice } from "../../../turns/in-slices.ts";
import type { App } from "../../app-type.ts";
import { chooseType } from "../../http/media-types.ts";
import { streamJson } from "../../http/reply.ts";
import { READ_EDL } from "../../operation.ts";
import { Problem } from "../../problem.ts";
import { ChangeList, ChangesQuery, DEFAULT_CHANGES } from "../../schemas/change.ts";

const [JSON_TYPE, LINES_TYPE, EVENTS_TYPE] = ["application/json", "application/x-ndjson", "text/event-stream"] as const;
/** Changes serialized at a time. */
const PIECE = 200;
/** Changes requested at a time while streaming. */
const STREAMED = 20_000;

/** The change feed of an organisation. */
export function addChangeRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "listChanges",
    summary: "What has changed since: rules, rulesets, deployments and keys, in order and without gaps",
    description:
      "One change per rule; deleting a ruleset is one change that covers its rules. An expiry is a change, too: it is listed once, within a second. To follow the feed, ask again with `next_after`. As application/x-ndjson, the response has all changes up to the present, one per line. As text/event-stream, it stays open and has every change as an event when it is made; `id` is its number and, after a dot, the feed; Last-Event-ID resumes after it, or after a number alone; without either, it begins with the next change. Changes that are too old are not kept: then, and if `after` is from another database, the response is 410.",
    tags: ["Changes"],
    problems: [400, 406, 410],
    querystring: ChangesQuery,
    response: { 200: ChangeList },
    otherTypes: [LINES_TYPE],
    requestHeaders: {
      "Last-Event-ID": "for text/event-stream: the id, or the number, of the last change that is known",
    },
  };
  app.get("/changes", { config: READ_EDL, schema }, async (request, reply) => {
    const type = chooseType(request, reply, [JSON_TYPE, LINES_TYPE, EVENTS_TYPE]);
    if (type === EVENTS_TYPE) return sendEvents(request, reply, services);
    const { after = 0, limit = DEFAULT_CHANGES } = request.query;
    if (type === LINES_TYPE) return sendLines(request, reply, services, after);
    const page = await readPage(request, services, after, limit);
    return streamJson(reply, listText(page, after, limit));
  });
}

/** Streams the changes after the last one that the client knows, or from now on. @throws Problem (400, 410, 503) */
async function sendEvents(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<FastifyReply> {
  const { "last-event-id": id } = request.headers;
  const resumed = id === undefined ? undefined : positionIn(String(id));
  if (id !== undefined && resumed === undefined)
    throw new Problem("validation-error", "Last-Event-ID: the id or the number of a change is expected", {
      validationErrors: { "Last-Event-ID": ["the id or the number of a change is expected"] },
    });
  const { after } = request.query as { after?: number };
  const known = resumed?.position ?? after;
  const { store } = services;
  const position = known ?? (await store.read("events", request.caller.organisationId, 0, 1)).sequence;
  const { feed } = await readPage(request, services, position, 1, resumed?.feed);
  return request.server.changeStreams.send(request, reply, { feed, position });
}

/** @throws Problem (410) unless the feed has all changes after `after` */
async function readPage(
  request: FastifyRequest,
  { store }: Services,
  after: number,
  limit: number,
  resumed?: string,
): Promise<EventPage> {
  const page = await store.read("events", request.caller.organisationId, after, limit);
  const given = resumed ?? (request.query as { feed?: string }).feed;
  const { feed, sequence, oldest } = page;
  const why =
    given !== undefined && given !== feed
      ? "the number is from another feed: the database has been restored from a backup, or is another one"
      : after > sequence
        ? `the last change is ${sequence}, so ${after} is from another database, or from before this one was restored from a backup`
        : after + 1 < oldest
          ? `changes are kept from ${oldest} on, but those after ${after} were requested`
          : undefined;
  if (why === undefined) return page;
  throw new Problem("gone", `${why}; read everything again, then the changes after ${sequence}`, {
    extensions: { sequence, feed },
  });
}

function* listText(page: EventPage, after: number, limit: number): Generator<string, undefined, undefined> {
  const { feed, sequence, rows } = page;
  const last = Math.min(rows.at(-1)?.last ?? after, after + limit);
  let text = `{"feed":${JSON.stringify(feed)},"sequence":${sequence},"next_after":${last},"changes":[`;
  let count = 0;
  for (const event of changesIn(page, after, limit)) {
    text += count++ === 0 ? changeText(event) : `,${changeText(event)}`;
    if (count % PIECE > 0) continue;
    yield text;
    text = "";
  }
  yield `${text}]}`;
}

/** All changes up to the latest one when the response begins. */
async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  after: number,
): Promise<FastifyReply> {
  const first = await readPage(request, services, after, STREAMED);
  const lines = linesOf(services, request.caller.organisationId, first, after);
  return reply.type(`${LINES_TYPE}; charset=utf-8`).send(Readable.from(lines, { objectMode: false }));
}

/** The next page is read while this one is serialized. */
async function* linesOf(
  { store }: Services,
  organisationId: string,
  first: EventPage,
  after: number,
): AsyncGenerator<Buffer> {
  const { sequence: end } = first;
  const slice = new Slice();
  let page = first;
  for (let last = after; last < end;) {
    const from = last;
    last = Math.min(end, page.rows.at(-1)?.last ?? 0, from + STREAMED);
    if (last <= from) throw new Error(`the changes after ${from} were deleted while they were being sent`);
    const next = last < end ? store.read("events", organisationId, last, STREAMED) : undefined;
    next?.catch(() => {});
    for (const text of linesText(page, from, last)) {
      yield Buffer.from(text);
      await slice.pause();
    }
    if (next !== undefined) page = await next;
  }
}

function* linesText(page: EventPage, after: number, last: number): Generator<string, undefined, undefined> {
  let text = "";
  let count = 0;
  for (const event of changesIn(page, after, last - after)) {
    text += `${changeText(event)}\n`;
    if (++count % PIECE > 0) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
