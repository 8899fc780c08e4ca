import type { FastifyInstance, FastifyReply, FastifyRequest, RegisterOptions } from "fastify";
import { denial, PROBLEM_TYPE } from "./denial.ts";
import { Guard, type GuardOptions } from "./guard.ts";
import type { Visit } from "./visit.ts";

/** The options of the plugin. */
export interface FastifyGuardOptions extends GuardOptions {
  /** Responds to a denied request, instead of the problem document with status 403. It must send a reply. */
  readonly onDeny?: (request: FastifyRequest, reply: FastifyReply, visit: Visit) => unknown;
}

declare module "fastify" {
  interface FastifyRequest {
    /** What is known about the client, once the hook of `ipsieve/fastify` has run. */
    ipsieve: Visit;
  }
}

/**
 * A plugin that finds the client of every request behind your proxies, decides by rulesets whether to allow it, and
 * describes it in `request.ipsieve`. It works for the instance that registers it, and for those within, in the
 * `onRequest` hook. Rejects with TypeError for invalid options, with AddressError for a malformed proxy.
 *
 *     await app.register(guard, { deny: blocklist, trustedProxies: ["10.0.0.0/8"] });
 */
export async function guard(app: FastifyInstance, options: FastifyGuardOptions): Promise<void> {
  const { onDeny, ...rest } = withoutThoseOfRegister(options);
  if (onDeny !== undefined && typeof onDeny !== "function") throw new TypeError("onDeny is a function");
  const decider = new Guard(rest);
  // `null` until the hook has run: a request object is made with all its members.
  app.decorateRequest("ipsieve", null as unknown as Visit);
  app.addHook("onRequest", async (request, reply) => {
    const visit = decider.visit(request.raw.socket.remoteAddress, request.raw.headers);
    request.ipsieve = visit;
    if (!decider.denies(visit)) return;
    if (onDeny === undefined) await reply.code(403).type(PROBLEM_TYPE).send(denial(visit, request.url));
    else await denyBy(onDeny, request, reply, visit);
    return reply;
  });
}

/** The options of `register` itself come along with a plugin's. */
function withoutThoseOfRegister(options: FastifyGuardOptions & RegisterOptions): FastifyGuardOptions {
  const { prefix: _prefix, logLevel: _logLevel, logSerializers: _logSerializers, ...own } = options;
  return own;
}

async function denyBy(
  onDeny: NonNullable<FastifyGuardOptions["onDeny"]>,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
): Promise<void> {
  await onDeny(request, reply, visit);
  // Continuing would let the request through.
  if (!reply.sent) throw new Error("onDeny of ipsieve/fastify has sent no reply; send one, or give enforce: false");
}

// What fastify-plugin sets: hook and decoration belong to the instance that registers the plugin, not to one within it.
Object.assign(guard, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "ipsieve",
  [Symbol.for("plugin-meta")]: { name: "ipsieve", fastify: "5.x" },
});
