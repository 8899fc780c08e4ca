import type { FastifyRequest } from "fastify";
import { knownDevice } from "./known-device.ts";
import type { Services } from "../../service/services.ts";

/**
 * A hook for routes that check passwords and tokens: counts the attempt when its headers have arrived, so that the body
 * of a rejected one is not read. Rejects with Problem (429).
 */
export function countTries(services: Services): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const device = await knownDevice(request, services);
    if (device === undefined) return services.access.signIns.takeAddress(request.ip);
    services.access.signIns.takeKnown(device.id);
    request.device = device;
  };
}
