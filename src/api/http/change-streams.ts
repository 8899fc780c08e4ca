import type { FastifyReply, FastifyRequest } from "fastify";
import { isActivePlan } from "../../service/access/plans.ts";
import type { FeedPosition } from "../../service/changes/change-tails.ts";
import type { Services } from "../../service/services.ts";
import { Problem } from "../problem.ts";
import { ChangeStream } from "./change-stream.ts";
import { FairShare } from "./fair-share.ts";

declare module "fastify" {
  interface FastifyInstance {
    changeStreams: ChangeStreams;
  }

  interface FastifyRequest {
    /** Whether the response lasts as long as the client listens; its duration then says nothing about the server. */
    isFollowing: boolean;
  }
}

/** Milliseconds between two checks of whether callers may still read, and between two keep-alive comments. */
const [CHECK_EVERY, COMMENT_EVERY] = [1000, 15_000];
/** Milliseconds after which a client that has lost its connection tries again. */
const RETRY = 2000;

/** The open streams of changes: not work in progress, so they have a limit of their own. */
export class ChangeStreams {
  readonly #services: Services;
  readonly #share: FairShare;
  readonly #open = new Map<ChangeStream, FastifyRequest>();
  readonly #timers: NodeJS.Timeout[];

  constructor(services: Services) {
    this.#services = services;
    this.#share = new FairShare(services.settings.changeStreams);
    this.#timers = [
      setInterval(() => this.#check(), CHECK_EVERY).unref(),
      setInterval(() => this.#comment(), COMMENT_EVERY).unref(),
    ];
  }

  /** Sends the changes after this one, then each new one. @throws Problem (503) */
  send(request: FastifyRequest, reply: FastifyReply, after: FeedPosition): FastifyReply {
    const { store, metrics } = this.#services;
    const { tails } = this.#services.events;
    const { organisationId } = request.caller;
    if (request.server.connections.isClosing) throw busy("the server is closing");
    if (!this.#share.take(organisationId, 1)) {
      metrics.shed.inc();
      throw busy("too many streams of changes are open (change-streams); close some, or ask for pages");
    }
    const stream = new ChangeStream({ store, tails }, organisationId, after, `retry: ${RETRY}\n\n`);
    request.isFollowing = true;
    this.#open.set(stream, request);
    // A client that ends its side is gone. Without this, only the second write would fail, half a minute later.
    const finish = (): void => stream.finish();
    const { socket } = request.raw;
    socket.once("end", finish);
    stream.once("close", () => {
      socket.off("end", finish);
      this.#open.delete(stream);
      this.#share.give(organisationId, 1);
    });
    return reply
      .headers({ "cache-control": "no-cache, no-transform", "x-accel-buffering": "no", "x-change-feed": after.feed })
      .type("text/event-stream")
      .send(stream);
  }

  /** Ends all streams in an orderly way. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of this.#open.keys()) stream.finish();
  }

  /** A key that has been revoked or has expired, or a plan that has ended, ends its streams. */
  #check(): void {
    const { memory, now } = this.#services;
    for (const [stream, request] of this.#open) {
      request.now = now();
      const hasPlan = isActivePlan(memory.plan(request.caller.organisationId, "edl"), request.now);
      if (!hasPlan || request.server.confirmCaller(request) !== undefined) stream.finish();
    }
  }

  #comment(): void {
    for (const stream of this.#open.keys()) stream.comment();
  }
}

function busy(why: string): Problem {
  return new Problem("service-unavailable", why, { headers: { "retry-after": "1" } });
}
