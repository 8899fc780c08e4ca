import type { State } from "../../store/state.ts";
import { type Arguments, EXIT, type Option } from "../runner/command.ts";
import { columnLines } from "../output/columns.ts";
import { styleFor } from "../output/style.ts";
import { chosenOrganisation, DATABASE_OPTIONS, ORGANISATION_OPTION, withStore } from "./service-database.ts";

/** The options of commands that list what organisations have. */
export const LIST_OF_ORGANISATIONS_OPTIONS: readonly Option[] = [
  { ...ORGANISATION_OPTION, help: "only of this organisation, by name or id" },
  { name: "json", help: "print one JSON document" },
  ...DATABASE_OPTIONS,
];

/** How a command lists one kind of thing that organisations have. */
export interface OrganisationList<Item extends { readonly organisationId: string }> {
  /** The items of all organisations, in the order of the list. */
  items(state: State): readonly Item[];
  /** An item as JSON. */
  document(item: Item): object;
  readonly header: readonly string[];
  /** The columns of an item; `organisation` is its organisation's name. */
  row(item: Item, organisation: string): readonly string[];
  /** The right-aligned columns. */
  readonly numbers?: ReadonlySet<number>;
}

/** Prints the items of all organisations, or of the one that `--org` names. Returns the exit code. Throws UsageError. */
export async function printOrganisationList<Item extends { readonly organisationId: string }>(
  args: Arguments,
  list: OrganisationList<Item>,
): Promise<number> {
  const state = await withStore(args, false, (store) => store.load(null));
  const only = args.has("org") ? chosenOrganisation(state, args).id : undefined;
  const items = list.items(state).filter(({ organisationId }) => only === undefined || organisationId === only);
  process.stdout.write(
    args.has("json")
      ? `${JSON.stringify(items.map(list.document))}\n`
      : tableText(items, list, organisationNames(state)),
  );
  return items.length > 0 ? EXIT.matched : EXIT.nothing;
}

/** The names of organisations by their ids. */
export function organisationNames({ organisations }: State): ReadonlyMap<string, string> {
  return new Map(organisations.map(({ id, name }) => [id, name]));
}

function tableText<Item extends { readonly organisationId: string }>(
  items: readonly Item[],
  { header, row, numbers = new Set() }: OrganisationList<Item>,
  names: ReadonlyMap<string, string>,
): string {
  const rows = items.map((item) => row(item, names.get(item.organisationId)!));
  return `${columnLines([header, ...rows], numbers, styleFor(process.stdout)).join("\n")}\n`;
}
