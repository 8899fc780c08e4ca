import type { Deployment } from "../../store/records/deployment.ts";
import type { CompiledDeployment, Reason } from "./compile-deployment.ts";
import { newHits } from "./guard-deployment.ts";

/**
 * The suspicions about a list that no one has approved. The person who released the refused list saw only that list;
 * the list may have changed in other ways since, and may block more.
 */
export function unreleased(
  { suspicions, collateral }: Pick<CompiledDeployment, "suspicions" | "collateral">,
  { published, refused, released }: Pick<Deployment, "published" | "refused" | "released">,
): readonly Reason[] {
  if (refused === null || released !== refused.number) return suspicions;
  const unknown = newHits(collateral ?? { hits: [] }, published?.accepted ?? []);
  const unseen = newHits({ hits: unknown }, refused.collateral ?? []);
  const codes = new Set(refused.reasons.map(({ code }) => code));
  return suspicions.filter(({ code }) => (code === "collateral" ? unseen.length > 0 : !codes.has(code)));
}
