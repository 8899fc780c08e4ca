import { Time } from "./time.tsx";

/** When something that a user started has ended, and who that was, if known. */
export function EndedBy({ at, startedBy }: { readonly at: string; readonly startedBy: string | null }) {
  return (
    <p class="small">
      <Time at={at} />
      {startedBy !== null && `, started by ${startedBy}`}
    </p>
  );
}
