import { getHeapStatistics } from "node:v8";
import type { FastifyRequest } from "fastify";
import type { App } from "../app-type.ts";
import { ArrivingBody, type BodyAccount, tooLong } from "../http/arriving-body.ts";
import { BodyQueue, type QueuedBody } from "../http/body-queue.ts";
import { FairShare } from "../http/fair-share.ts";
import { Problem } from "../problem.ts";
import { originOf } from "../../service/access/rate-limits.ts";
import { continueBody, holdBody } from "./pipelining.ts";
import type { Services } from "../../service/services.ts";
import { namesOf, type SettingName, type Settings } from "../../service/settings.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The body of a request, to be read. @throws Problem (413, 415) before any of it is read */
    openBody(request: FastifyRequest, isStream?: boolean): ArrivingBody;
  }

  interface FastifyRequest {
    /** Bytes of its body that are kept until the response is sent. */
    keptBytes: number;
    /** Whether it holds one of the slots for long bodies, which it releases while it waits for its client. */
    hasBodySlot: boolean;
  }

  interface FastifyContextConfig {
    /** Maximum bytes that a body of the operation needs; by default, the setting `body-limit`. */
    readonly bodyBytes?: number;
    /** Whether bodies may be gzip, which the operation unpacks. */
    readonly takesGzip?: boolean;
    /** The setting that determines this maximum. */
    readonly bodySetting?: string;
  }
}

/** For the bodies of operations without authentication: a name, a password, a token. */
const PUBLIC_BODY_BYTES = 4096;
/** How many bodies of such operations may be waited for at a time, separately from those of authenticated callers. */
const PUBLIC_BODIES = 100;
/**
 * How many long bodies are read at a time. They cannot wait for one another, so the work on them takes turns: the more
 * there are, the later each one ends.
 */
const READ_AT_ONCE = 128;
/** This many are read for each caller, whatever others send. */
const MIN_READ = 4;
/** A shorter body is read in one step. */
const LONG_BODY = 64 << 10;
/** A body up to this length takes a few milliseconds of processor time, so others can wait for it. */
const MAX_QUEUED_BODY = 1 << 20;
/** How many requests may wait until their bodies are read, by the number of requests in progress. */
const WAITING = 2;
/**
 * How long such a request, or a cheap one, may wait, by the permitted delay. A waiting request keeps up to 64 KiB, which
 * costs less than a rejection: then the whole body is read as well, and the client tries again.
 */
export const PATIENCE = 4;
/** Milliseconds between two checks for bodies that have not arrived. */
const SAMPLE = 250;
/** The share of the JavaScript heap that bodies may fill. */
const HEAP_SHARE = 1 / 4;

/**
 * Reads bodies within limits: each may be as long as its operation can need, all together as many bytes as the setting
 * says, and no caller gets more than a fair share of either. A body that is waited for does not count as work. A body
 * that does not arrive in time is given up.
 */
export function readBodies(app: App, { settings, metrics }: Services): void {
  const bodies = new Bodies(settings);
  app.decorateRequest("keptBytes", 0);
  app.decorateRequest("hasBodySlot", false);
  app.decorate("openBody", (request: FastifyRequest, isStream = false) => bodies.open(request, isStream));
  app.addHook("onRoute", (route) => {
    if (route.config?.access === "none") return void (route.bodyLimit = PUBLIC_BODY_BYTES);
    const wanted = route.config?.bodyBytes ?? settings.bodyBytes;
    route.bodyLimit = Math.min(wanted, bodies.kept.largest);
    route.config = {
      ...route.config,
      bodySetting: namesOf(settingOf(route.config?.bodyBytes, route.bodyLimit < wanted, settings)),
    };
  });
  // Checked before any of it is read, because reading a body that is then rejected is wasted work.
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404 || !isLong(request)) return done();
    if (isQueued(request)) return bodies.queue(request, { admit: done, giveUp: () => app.shed(request, reply) });
    if (!bodies.read.hasRoom(callerOf(request), MIN_READ)) return app.shed(request, reply);
    done();
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    bodies.leaveQueue(request);
    if (request.keptBytes > 0) bodies.release(request);
    if (reply.statusCode >= 400 && request.body instanceof ArrivingBody) bodies.end(request.body);
    done();
  });
  const timer = setInterval(() => bodies.giveUpLate(settings.bodyTimeout), SAMPLE).unref();
  app.addHook("onClose", () => clearInterval(timer));
  app.addHook("onListen", (done) => {
    metrics.addGauge("ipsieve_body_bytes", "Bytes of request bodies in memory", () => bodies.kept.used);
    done();
  });
}

/** The bodies that operations read themselves, as `ArrivingBody`. */
interface PassedBodies {
  readonly types: readonly string[];
  /** Whether they may be endless. */
  readonly isStream: boolean;
  /** Whether the operations take no other bodies, such as JSON. */
  readonly areOnly?: boolean;
}

/** Adds routes that are passed such bodies, in a context of their own: no other routes accept them. */
export function withBodies(
  app: App,
  { types, isStream, areOnly = false }: PassedBodies,
  addRoutes: (app: App) => void,
): void {
  void app.register((context, _options, done) => {
    if (areOnly) context.removeAllContentTypeParsers();
    for (const type of types) if (context.hasContentTypeParser(type)) context.removeContentTypeParser(type);
    context.addContentTypeParser([...types], (request: FastifyRequest, _payload, parsed) => {
      try {
        parsed(null, context.openBody(request, isStream));
      } catch (error) {
        parsed(error as Error);
      }
    });
    addRoutes(context as unknown as App);
    done();
  });
}

/** The schema of a body that is JSON, or of another type. */
export function bodySchema(json: object, types: readonly string[], other: object): object {
  return {
    content: {
      "application/json": { schema: json },
      ...Object.fromEntries(types.map((type) => [type, { schema: other }])),
    },
  };
}

/** The setting that allows an operation longer bodies. */
function settingOf(bodyBytes: number | undefined, isCut: boolean, { bulkBodyBytes }: Settings): SettingName {
  if (isCut) return "body-memory";
  if (bodyBytes === undefined) return "body-limit";
  return bodyBytes === bulkBodyBytes ? "bulk-body-limit" : "bulk-addresses";
}

function keptBytes(wanted: number): number {
  return Math.min(wanted, Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE));
}

class Bodies {
  readonly kept: FairShare;
  /** Bodies whose reader has work to do. */
  readonly read = new FairShare(READ_AT_ONCE);
  readonly #queue: BodyQueue;
  readonly #waited: FairShare;
  readonly #publicWaited = new FairShare(PUBLIC_BODIES);
  /** Bodies that are waited for, in the order in which they began. */
  readonly #arriving = new Map<ArrivingBody, { readonly shares: FairShare; readonly caller: string }>();

  constructor({ concurrentRequests, bodyMemory, eventLoopDelay }: Settings) {
    this.#queue = new BodyQueue(WAITING * concurrentRequests, PATIENCE * eventLoopDelay);
    this.#waited = new FairShare(concurrentRequests);
    this.kept = new FairShare(keptBytes(bodyMemory));
  }

  /** Calls `admit` when the body may be read, or `giveUp`. */
  queue(request: FastifyRequest, { admit, giveUp }: Pick<QueuedBody, "admit" | "giveUp">): void {
    const { socket } = request.raw;
    holdBody(socket);
    this.#queue.enter({
      caller: callerOf(request),
      admit: () => {
        request.hasBodySlot = true;
        continueBody(socket);
        admit();
      },
      giveUp,
    });
  }

  /** Further calls do nothing. */
  leaveQueue(request: FastifyRequest): void {
    if (!request.hasBodySlot) return;
    request.hasBodySlot = false;
    this.#queue.leave(callerOf(request));
  }

  open(request: FastifyRequest, isStream: boolean): ArrivingBody {
    checkCoding(request);
    // A stream may last as long as its client likes.
    if (isStream) this.leaveQueue(request);
    // If nothing exists at the path, no operation needs the body.
    const limit = request.is404 ? PUBLIC_BODY_BYTES : isStream ? Infinity : request.route.bodyLimit!;
    const setting = request.is404 ? undefined : request.route.config.bodySetting;
    if (Number(request.headers["content-length"]) > limit) throw tooLong({ limit, setting });
    return new ArrivingBody(request.raw, { limit, setting, isStream }, this.#accountOf(request));
  }

  release(request: FastifyRequest): void {
    this.kept.give(callerOf(request), request.keptBytes);
    request.keptBytes = 0;
  }

  /** `seconds` for a whole body, or between two parts of a stream. */
  giveUpLate(seconds: number): void {
    this.#queue.giveUpLate();
    const now = performance.now();
    for (const [body] of this.#arriving) {
      // The body may have been released before it was ever read.
      if (body.isGone) this.end(body);
      const since = body.rules.isStream ? body.waitingSince || now : body.startedAt;
      if (now - since > seconds * 1000)
        body.fail(new Problem("request-timeout", `the body did not arrive within ${seconds} s`));
    }
  }

  #accountOf(request: FastifyRequest): BodyAccount {
    return {
      maxKept: this.kept.largest,
      began: (body) => this.#begin(body, request),
      ended: (body) => this.end(body),
      keep: (bytes) => {
        if (!this.kept.take(callerOf(request), bytes)) throw busy("the memory for request bodies is in use");
        request.keptBytes += bytes;
      },
      read: (isRead) => {
        if (isRead) this.read.force(callerOf(request), 1);
        else {
          this.read.give(callerOf(request), 1);
          this.leaveQueue(request);
        }
      },
    };
  }

  /**
   * A valid sign-in arrives in one piece and is never waited for: if too many are, the client with the most of them
   * loses the one that has taken longest.
   */
  #begin(body: ArrivingBody, request: FastifyRequest): void {
    const isPublic = request.caller === undefined;
    const [shares, caller] = [isPublic ? this.#publicWaited : this.#waited, callerOf(request)];
    while (!shares.take(caller, 1)) {
      if (!isPublic) throw busy("too many request bodies are still arriving");
      const oldest = this.#oldestOfMost(shares);
      oldest.fail(new Problem("request-timeout", "the body did not arrive in time, and newer requests took its place"));
      this.end(oldest);
    }
    this.#arriving.set(body, { shares, caller });
  }

  #oldestOfMost(shares: FairShare): ArrivingBody {
    const byCaller = new Map<string, ArrivingBody[]>();
    for (const [body, entry] of this.#arriving) {
      if (entry.shares !== shares) continue;
      const own = byCaller.get(entry.caller);
      if (own === undefined) byCaller.set(entry.caller, [body]);
      else own.push(body);
    }
    const [most] = [...byCaller.values()].sort((a, b) => b.length - a.length);
    return most![0]!;
  }

  /** Further calls do nothing. */
  end(body: ArrivingBody): void {
    const entry = this.#arriving.get(body);
    if (entry === undefined) return;
    this.#arriving.delete(body);
    entry.shares.give(entry.caller, 1);
  }
}

/** The owner of the share: a key, a user, or the address of an unauthenticated caller. */
export function callerOf({ caller, ip }: FastifyRequest): string {
  return caller === undefined ? originOf(ip) : caller.id;
}

function isLong({ raw: { headers } }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > LONG_BODY;
}

/** Whether the body is short enough for others to wait for it. */
function isQueued({ raw: { headers } }: FastifyRequest): boolean {
  return Number(headers["content-length"]) <= MAX_QUEUED_BODY;
}

function busy(detail: string): Problem {
  return new Problem("service-unavailable", `${detail}; try again in 1 s`, { headers: { "retry-after": "1" } });
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Bodies are UTF-8 and uncompressed, unless the operation takes gzip. @throws Problem (415) */
function checkCoding({ headers, route }: FastifyRequest): void {
  const coding = headers["content-encoding"];
  const isTaken = route.config.takesGzip === true && coding?.trim().toLowerCase() === "gzip";
  if (!isTaken && coding !== undefined && coding.trim().toLowerCase() !== "identity") {
    // RFC 9110, section 12.5.3.
    throw new Problem(
      "unsupported-media-type",
      `Content-Encoding ${JSON.stringify(coding)} is not supported; send the body uncompressed`,
      { headers: { "accept-encoding": "identity" } },
    );
  }
  const charset = CHARSET.exec(headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new Problem("unsupported-media-type", `the charset ${JSON.stringify(charset)} is not supported; send UTF-8`);
}
