import { Note } from "../components/states.tsx";
import type { Area } from "../documents.ts";
import { session } from "../session.ts";

/**
 * Says that a result is missing because the organisation has no plan for it, which is not the same as "nothing found".
 */
export function NoPlan({ area, what }: { readonly area: Area; readonly what: string }) {
  return (
    <Note kind="warning">
      {session.value?.organisation.name} has no active plan for {what} (<code>{area}</code>), so it was not looked up
      there.
    </Note>
  );
}
