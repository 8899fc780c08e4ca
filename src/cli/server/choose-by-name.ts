import { nearest } from "../../words/nearest.ts";
import { UsageError } from "../runner/usage-error.ts";

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** What is chosen: a word for it, and the command that lists all of them. */
export interface NamedKind {
  readonly kind: string;
  readonly listedBy: string;
}

/**
 * The one with this id or, if none has the id, with this name; `describe` tells several apart. Throws UsageError if
 * there is none, or more than one.
 */
export function chosenByName<Each extends Named>(
  all: readonly Each[],
  text: string,
  { kind, listedBy }: NamedKind,
  describe = ({ id }: Each): string => id,
): Each {
  const byId = all.find(({ id }) => id === text.toLowerCase());
  const named = byId === undefined ? all.filter(({ name }) => name === text) : [byId];
  if (named.length > 1)
    throw new UsageError(
      `several ${kind}s are named ${JSON.stringify(text)}; give the id of one: ${named.map(describe).join(", ")}`,
    );
  if (named[0] !== undefined) return named[0];
  const names = all.map(({ name }) => name);
  const part = text.toLowerCase();
  const meant = nearest(text, names) ?? names.find((name) => name.toLowerCase().includes(part));
  throw new UsageError(
    `there is no ${kind} ${JSON.stringify(text)}; ${meant === undefined ? `"ipsieve ${listedBy}" lists them` : `did you mean ${JSON.stringify(meant)}?`}`,
  );
}

/** Throws UsageError if one but the one with `ownId` has this name: commands could not tell the two apart. */
export function rejectTakenName(all: readonly Named[], name: string, { kind }: NamedKind, ownId?: string): void {
  const taken = all.find((each) => each.name === name && each.id !== ownId);
  if (taken === undefined) return;
  throw new UsageError(`${JSON.stringify(name)} is the name of the ${kind} ${taken.id}; choose another one`);
}
