import type { ComponentChildren } from "preact";
import { Badge } from "../components/badge.tsx";
import { Note } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { ExternalList } from "../documents.ts";

const KINDS = { pending: "plain", ok: "good", failed: "warning", refused: "bad" } as const;

export function ListBadge({ list: { state } }: { readonly list: ExternalList }) {
  return <Badge kind={KINDS[state]}>{state === "pending" ? "not fetched yet" : state}</Badge>;
}

/** What went wrong with the latest fetch, and what it means; nothing if all is well. `children`: buttons. */
export function ListNote({
  list: { state, problem, generation, changed_at: at },
  children,
}: {
  readonly list: ExternalList;
  readonly children?: ComponentChildren;
}) {
  if (problem === null)
    return state === "pending" ? <Note>The list has not been fetched yet; it will be within seconds.</Note> : null;
  return (
    <Note kind={state === "refused" ? "bad" : "warning"}>
      <strong>{state === "refused" ? "The fetched list was refused." : "The list could not be fetched."}</strong>
      <p class="wrap">{problem.message}</p>
      <p>
        Since <Time at={problem.since} relative />.{" "}
        {generation === 0 || at === null ? (
          "No content yet."
        ) : (
          <>
            The content of <Time at={at} relative /> stays in use.
          </>
        )}{" "}
        {problem.digest !== null && "If the change is right, accept it."}
      </p>
      {children}
    </Note>
  );
}
