import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";

/** Milliseconds that a request waits for a change by another server. */
const MAX_WAIT = 5000;

/**
 * Lets a client read, on any server, what it has written on another one: every response to a caller names the last
 * change that it may reflect (`X-Sequence`), and a request that names one (`X-After-Sequence`) waits until this server
 * has it. While it waits, it counts as its caller's work, so waiting requests do not take what others need.
 */
export function followSequences(app: FastifyInstance, services: Services): void {
  app.addHook("preValidation", (request, _reply, done) => {
    const text = request.headers["x-after-sequence"];
    if (text === undefined || request.caller === undefined) return done();
    const sequence = typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (!Number.isSafeInteger(sequence))
      return done(
        invalid({ "X-After-Sequence": ["must be a whole number, as in the X-Sequence header of a response"] }),
      );
    void reaches(request.caller.organisationId, sequence, services).then(
      (is) => done(is ? confirmed(app, request, services) : notThere(sequence)),
      done,
    );
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    // Changes that have arrived but are not yet built into a ruleset count: this response may depend on them.
    if (request.caller !== undefined) reply.header("x-sequence", String(services.memory.sequence));
    done();
  });
}

/** Whether this server has a change, and all of the organisation's rules with it, within some seconds. */
export async function reaches(
  organisationId: string,
  sequence: number,
  { memory, store, events: { waiters } }: Services,
): Promise<boolean> {
  const end = performance.now() + MAX_WAIT;
  if (memory.sequence < sequence) {
    const reached = waiters.wait(sequence, MAX_WAIT);
    // Not every change is announced, and the next poll may be a second away.
    store.poll();
    if (!(await reached)) return false;
  }
  const building = memory.buildingOf(organisationId);
  return building === undefined || isWithin(building, end - performance.now());
}

async function isWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, milliseconds, false)));
  try {
    return await Promise.race([promise.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Checked again after the wait: the change may be that the caller has lost access. */
function confirmed(app: FastifyInstance, request: FastifyRequest, { now }: Services): Error | undefined {
  request.now = now();
  return app.confirmCaller(request);
}

function notThere(sequence: number): Problem {
  const detail = `this server does not have change ${sequence} (X-After-Sequence) after ${MAX_WAIT / 1000} s; try again in 1 s, or without the header for a response that may be older`;
  return new Problem("service-unavailable", detail, { headers: { "retry-after": "1" } });
}
