import type { Owned, Peers } from "./peers.ts";
import { type IdentificationState, stateOf } from "../logs/identification-state.ts";
import type { Identifications } from "../logs/identifications.ts";

/** What finds identifications wherever they are. */
export interface Everywhere {
  readonly logs: { readonly identifications: Identifications };
  readonly peers: Peers;
}

/** An identification of this process or of another one. */
export async function findIdentification(
  { organisationId, id }: Owned,
  { logs: { identifications }, peers }: Everywhere,
): Promise<IdentificationState | undefined> {
  const own = identifications.get(organisationId, id);
  if (own !== undefined) return stateOf(own, identifications);
  const found = await peers.ask("identification", { organisationId, id });
  return found.find((each) => each !== null);
}

/** Those of all processes, newest first. */
export async function listIdentifications(
  organisationId: string,
  { logs: { identifications }, peers }: Everywhere,
): Promise<readonly IdentificationState[]> {
  const own = identifications.list(organisationId).map((each) => stateOf(each, identifications));
  const others = await peers.ask("identifications", { organisationId });
  if (others.length === 0) return own;
  return [...own, ...others.flat()].toSorted((a, b) => b.startedAt - a.startedAt);
}

/** Stops it if it is running, and removes it. False if there is none. */
export async function removeIdentification(
  owned: Owned,
  { logs: { identifications }, peers }: Everywhere,
): Promise<boolean> {
  if (await identifications.remove(owned.organisationId, owned.id)) return true;
  return (await peers.ask("removeIdentification", owned)).includes(true);
}
