import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { keyOfName } from "../../store/name-key.ts";
import { readCookie, setCookie } from "../http/cookies.ts";
import type { Services } from "../../service/services.ts";

/** A browser in which the user has signed in before. */
export interface Device {
  readonly id: string;
  readonly userId: string;
  /** The user's name, as `keyOfName` makes it. */
  readonly nameKey: string;
}

const NAME = { secure: "__Host-ipsieve-device", plain: "ipsieve-device" };
/** The maximum lifetime of cookies in browsers: 400 days. */
const SECONDS = 400 * 86_400;
const ID_BYTES = 16;
/** The id of the user, the id of the device, and the code that proves both. */
const PATTERN = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/**
 * The device that a request proves to come from; undefined if it proves none. Nothing is stored for it: the code is
 * derived from the user's password hash, so every server can check it, and it becomes invalid with the password.
 * Without the id of a user, which outsiders do not learn, nothing is read from the database.
 */
export async function knownDevice(
  request: FastifyRequest,
  { store, memory, settings }: Services,
): Promise<Device | undefined> {
  const [, userId = "", id = "", code = ""] = PATTERN.exec(readCookie(request, settings.baseUrl, NAME) ?? "") ?? [];
  const user = memory.userById(userId);
  const known = user === undefined ? null : await store.read("credentials", user.name);
  if (user === undefined || known?.userId !== userId) return undefined;
  const isRight = timingSafeEqual(Buffer.from(codeOf(id, userId, known.password)), Buffer.from(code));
  return isRight ? { id, userId, nameKey: keyOfName(user.name) } : undefined;
}

/**
 * Makes the browser remember that the user has signed in, with the password of this hash. A known device keeps its id.
 */
export function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { settings }: Services,
  userId: string,
  password: string,
): void {
  const { device: before } = request;
  const id = before?.userId === userId ? before.id : randomBytes(ID_BYTES).toString("base64url");
  setCookie(request, reply, settings.baseUrl, NAME, `${userId}.${id}.${codeOf(id, userId, password)}`, SECONDS);
}

function codeOf(id: string, userId: string, password: string): string {
  return createHmac("sha256", password).update(`ipsieve device ${userId} ${id}`).digest("base64url");
}
