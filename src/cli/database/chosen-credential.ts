import { UsageError } from "../runner/usage-error.ts";

interface Credential {
  readonly id: string;
  readonly start: string;
}

/**
 * The one of these credentials that has this id or, shown by `listedBy`, these first characters. `kind`: what they are;
 * `prefix`: what their secrets begin with; `several`: what several of them have in common. @throws UsageError
 */
export function chosenCredential<Each extends Credential>(
  credentials: readonly Each[],
  text: string,
  { kind, prefix, listedBy, several }: Readonly<Record<"kind" | "prefix" | "listedBy" | "several", string>>,
): Each {
  const found = credentials.filter(({ id, start }) => id === text || start === text);
  if (found.length === 1) return found[0]!;
  // A whole secret must not be repeated on the screen.
  const shown = JSON.stringify(text.length > 8 && text.startsWith(prefix) ? `${text.slice(0, 8)}...` : text);
  throw new UsageError(
    found.length === 0
      ? `there is no ${kind} ${shown}; "ipsieve ${listedBy}" lists them`
      : `several ${several} ${shown}; give the id`,
  );
}
