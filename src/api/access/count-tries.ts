import type { FastifyRequest } from "fastify";
import { knownDevice } from "./known-device.ts";
import type { Services } from "../../service/services.ts";

/**
 * A hook of routes at which passwords and tokens can be tried: counts the try when its head is there, so that one that
 * is rejected costs no body. Rejects with Problem (429).
 */
export function countTries(services: Services): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const device = await knownDevice(request, services);
    if (device === undefined) return services.signIns.takeAddress(request.ip);
    services.signIns.takeKnown(device.id);
    request.device = device;
  };
}
