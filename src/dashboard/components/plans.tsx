import type { Area } from "../documents.ts";
import { hasPlan, session } from "../session.ts";
import { Badge } from "./badge.tsx";
import { Time } from "./time.tsx";

const NAMES: Readonly<Record<Area, string>> = { edl: "Rulesets", cbs: "Business services", cti: "Threat intelligence" };

/** The areas of the service that the organisation may use. */
export function Plans() {
  return (
    <ul class="stack-tight">
      {session.value!.plans.map(({ area, until }) => (
        <li key={area} class="row">
          <span>{NAMES[area]}</span>
          {hasPlan(area) ? <Badge kind="good">active</Badge> : <Badge>not active</Badge>}
          {until !== null && (
            <span class="muted">
              until <Time at={until} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
