import { DateTime } from "./time.tsx";

interface Props {
  readonly previous: readonly { readonly replaced_at: string | null; readonly valid_until: string }[];
  /** What each of them does until its end, such as "work". */
  readonly verb: string;
}

/** Until when each secret that was replaced still works. */
export function PreviousEnds({ previous, verb }: Props) {
  return (
    <ul class="stack-tight plain-list">
      {previous.map(({ replaced_at: at, valid_until: until }) => (
        <li key={until}>
          {at !== null && (
            <>
              replaced <DateTime at={at} inline />:{" "}
            </>
          )}
          {verb} until <DateTime at={until} inline />
        </li>
      ))}
    </ul>
  );
}
