import { UsageError } from "../runner/usage-error.ts";

/** Begins a vote: `atleast:2;list:one;list:other`, with weights `atleast:3;2*list:one;list:other`. */
export const ATLEAST = "atleast:";
export const SEPARATOR = ";";
/** Up to the next separator. Only queries have quotes, in which it separates nothing; names may have an apostrophe. */
const PARTS = /(?:^|;)((?:\d{1,7}\*)?cti:(?:[^;"']|"[^"]*"|'[^']*'|["'])*|[^;]*)/g;
const WEIGHT = /^(\d{1,7})\*/;
const FORM = "write atleast:K;SET;SET..., or with weights atleast:K;WEIGHT*SET;...";

/** The sets that vote for addresses, and how many of them, or what weight together, an address needs. */
export interface Vote {
  readonly least: number;
  readonly voters: readonly string[];
  /** 1 where none is given. */
  readonly weights: readonly number[];
}

/** What a text that begins with `ATLEAST` says. @throws UsageError */
export function voteIn(text: string): Vote {
  const [least, ...parts] = Array.from(text.slice(ATLEAST.length).matchAll(PARTS), ([, part]) => part!);
  if (!/^\d{1,9}$/.test(least!) || parts.length === 0) throw new UsageError(`${text}: ${FORM}`);
  const voters = parts.map((part) => part.replace(WEIGHT, ""));
  // An empty one is a shell variable that is not set: without it, fewer would vote than was meant.
  const wrong = voters.find((voter) => voter === "" || voter.startsWith(ATLEAST));
  if (wrong !== undefined) throw new UsageError(`${text}: ${JSON.stringify(wrong)} cannot vote; ${FORM}`);
  return { least: Number(least), voters, weights: parts.map((part) => Number(WEIGHT.exec(part)?.[1] ?? 1)) };
}

/** As `voteIn`, for a vote that is counted here. @throws UsageError, also if no address can have so many votes */
export function countedVote(text: string): Vote {
  const vote = voteIn(text);
  const all = vote.weights.reduce((sum, weight) => sum + weight, 0);
  if (vote.least < 1) throw new UsageError(`${text}: an address needs at least one vote; ${FORM}`);
  if (vote.least > all) throw new UsageError(`${text}: no address can have more than ${all} votes`);
  if (vote.weights.includes(0)) throw new UsageError(`${text}: a weight is at least 1; leave the set out instead`);
  return vote;
}
