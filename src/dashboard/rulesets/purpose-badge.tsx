import { Badge } from "../components/badge.tsx";
import type { Ruleset } from "../documents.ts";

export function PurposeBadge({ purpose }: Pick<Ruleset, "purpose">) {
  return <Badge kind={purpose === "blocklist" ? "bad" : "good"}>{purpose}</Badge>;
}
