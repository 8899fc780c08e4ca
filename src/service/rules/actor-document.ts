import type { ServiceMemory } from "../store/service-memory.ts";

/** Who made a change: an API key, a user, or an account on the command line. */
export interface ActorDocument {
  readonly kind: "key" | "user" | "command";
  readonly id: string | null;
  /** The key's label, the user's name, or the account's. */
  readonly name: string | null;
}

/** `actor` is as in the store's commands: `user:ID`, `key:ID`, `command:ACCOUNT`. */
export function actorDocument(
  actor: string,
  organisationId: string,
  memory: Pick<ServiceMemory, "user" | "credential">,
): ActorDocument {
  const end = actor.indexOf(":");
  const [kind, id] = [actor.slice(0, end), actor.slice(end + 1)];
  if (kind === "user") return { kind, id, name: memory.user(organisationId, id)?.name ?? null };
  if (kind === "key") return { kind, id, name: memory.credential("api", organisationId, id)?.label ?? null };
  return { kind: "command", id: null, name: id };
}
