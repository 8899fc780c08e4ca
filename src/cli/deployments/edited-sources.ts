import type { Client, Deployment } from "../../client/client.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";
import { sourcesOf, sourceTexts } from "./deployment-definition.ts";

type Sources = Deployment["include"];

const FIELDS = ["include", "exclude"] as const;

/** Options that change the sources of a deployment one by one. */
export const EDIT_OPTIONS: readonly Option[] = FIELDS.flatMap((field) => [
  { name: `add-${field}`, value: "SOURCE", repeats: true, help: `one more ${field}; may be given several times` },
  { name: `remove-${field}`, value: "SOURCE", repeats: true, help: `an ${field} that it has, to be removed` },
]);

/** The sources after these options; nothing where none is given. Throws UsageError, also for one that it does not have. */
export async function editedSources(
  args: Arguments,
  client: Client,
  deployment: Deployment,
): Promise<Partial<Record<(typeof FIELDS)[number], Sources>>> {
  const edited: Partial<Record<(typeof FIELDS)[number], Sources>> = {};
  for (const field of FIELDS) {
    const [add, remove] = [`add-${field}`, `remove-${field}`];
    if (!args.has(add) && !args.has(remove)) continue;
    for (const other of [field, `no-${field}`])
      if (args.has(other)) throw new UsageError(`--${other} replaces all of them; leave out --${add} and --${remove}`);
    const known = byText(deployment[field]);
    for (const [text, source] of byText(await sourcesOf(args.values(add), add, client))) known.set(text, source);
    for (const text of byText(await sourcesOf(args.values(remove), remove, client)).keys())
      if (!known.delete(text))
        throw new UsageError(
          `--${remove} ${text}: the deployment does not have it; "ipsieve deployment show" lists them`,
        );
    edited[field] = joined([...known.values()]);
  }
  return edited;
}

/** Each source, and each of its prefixes, by the text that stands for it. */
function byText(sources: Sources): Map<string, Sources[number]> {
  return new Map(
    sources.flatMap((source) =>
      sourceTexts(source, new Map()).map((text) => [
        text,
        source.prefixes === undefined ? source : { prefixes: [text] },
      ]),
    ),
  );
}

/** With all prefixes in one source. */
function joined(sources: Sources): Sources {
  const prefixes = sources.flatMap((source) => source.prefixes ?? []);
  const others = sources.filter((source) => source.prefixes === undefined);
  return prefixes.length === 0 ? others : [...others, { prefixes }];
}
