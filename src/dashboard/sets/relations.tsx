import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Panel } from "../components/page.tsx";
import { Segments } from "../components/segments.tsx";
import { Note } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import type { SetRelations } from "../documents.ts";
import { formatDigits } from "../format.ts";
import { shareText } from "./share-text.ts";
import "./sets.css";

type Family = "ipv4" | "ipv6";
type Pair = SetRelations["pairs"][number];

const FAMILIES = { ipv4: "IPv4", ipv6: "IPv6" } as const;
const WORDS: Readonly<Record<Pair["relation"], string>> = {
  equal: "equals",
  covers: "contains",
  within: "is within",
  overlaps: "overlaps",
  disjoint: "shares nothing with",
};

interface Props {
  /** Of the sets, in their order. */
  readonly names: readonly string[];
  readonly related: SetRelations;
}

/** How lists relate: which add nothing, how much of each the others have, and each pair in figures. */
export function Relations({ names, related }: Props) {
  const [wanted, setFamily] = useState<Family>("ipv4");
  const given = (["ipv4", "ipv6"] as const).filter((each) => related.sets.some((set) => set[each].addresses !== "0"));
  const family = given.includes(wanted) ? wanted : (given[0] ?? "ipv4");
  const choice = given.length > 1 && (
    <Segments
      legend="Addresses"
      name="family"
      value={family}
      choices={given.map((each) => [each, FAMILIES[each]] as const)}
      onChange={setFamily}
    />
  );
  return (
    <>
      <Superfluous {...{ names, related }} />
      <Panel title={`How much of each list the others have, ${FAMILIES[family]}`} actions={choice} flush>
        <Matrix {...{ names, related, family }} />
      </Panel>
      <Panel title={`Pairs, ${FAMILIES[family]}`} flush>
        <Pairs {...{ names, related, family }} />
      </Panel>
    </>
  );
}

function Superfluous({ names, related: { sets } }: Props) {
  const without = names.flatMap((name, at) => {
    const { ipv4, ipv6 } = sets[at]!;
    if (ipv4.only !== "0" || ipv6.only !== "0") return [];
    const isEmpty = ipv4.addresses === "0" && ipv6.addresses === "0";
    return [{ at, text: `${at + 1}. ${name}${isEmpty ? " (has no addresses)" : ""}` }];
  });
  if (without.length === 0) return <Note kind="good">Each list has addresses that no other has.</Note>;
  return (
    <Note kind="warning">
      <strong>{without.length === 1 ? "A list adds" : "Some lists add"} nothing to the others:</strong>
      <ul>
        {without.map(({ at, text }) => (
          <li key={at}>
            <bdi class="wrap">{text}</bdi>
          </li>
        ))}
      </ul>
      {without.length > 1 && <p>Remove one, and compare again: two lists may have the same addresses.</p>}
    </Note>
  );
}

interface FamilyProps extends Props {
  readonly family: Family;
}

/** A row for each list, a column for each other one: the share of the row's addresses that the column has, too. */
function Matrix({ names, related: { sets, pairs }, family }: FamilyProps) {
  const pairOf = (row: number, column: number): Pair =>
    pairs.find(({ first, second }) => first === Math.min(row, column) && second === Math.max(row, column))!;
  return (
    <div class="matrix" tabIndex={0} role="region" aria-label="How much of each list the others have">
      <table>
        <thead>
          <tr>
            <th scope="col">List</th>
            <th scope="col" class="number">
              Addresses
            </th>
            <th scope="col" class="number">
              In no other list
            </th>
            {names.map((name, column) => (
              <th key={column} scope="col" title={name} class="number">
                <span class="hidden">In list </span>
                {column + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name, row) => (
            <tr key={row}>
              <th scope="row" title={name}>
                {row + 1}. <bdi>{name}</bdi>
              </th>
              <td class="number">{formatDigits(sets[row]![family].addresses)}</td>
              <td class="number">{formatDigits(sets[row]![family].only)}</td>
              {names.map((other, column) =>
                row === column ? (
                  <td key={column} class="itself" />
                ) : (
                  <Cell key={column} {...{ pair: pairOf(row, column), isFirst: row < column, family, name, other }} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly pair: Pair;
  /** Whether the row is the first of the pair. */
  readonly isFirst: boolean;
  readonly family: Family;
  readonly name: string;
  readonly other: string;
}

function Cell({ pair, isFirst, family, name, other }: CellProps) {
  const { shared, millionths_of_first: first, millionths_of_second: second } = pair[family];
  const share = isFirst ? first : second;
  return (
    <td
      class="number"
      title={`${formatDigits(shared)} shared: ${name}; ${other}`}
      style={{ background: `color-mix(in srgb, var(--c0) ${Math.ceil((share ?? 0) / 22_000)}%, transparent)` }}
    >
      {shareText(share, shared)}
    </td>
  );
}

/** The pairs, those that share the most first. */
function Pairs({ names, related: { pairs }, family }: FamilyProps) {
  const rows = pairs.toSorted((one, other) => Number(BigInt(other[family].shared) - BigInt(one[family].shared)));
  const name = (at: number) => (
    <span class="wrap">
      {at + 1}. <bdi>{names[at]}</bdi>
    </span>
  );
  return (
    <Table
      scrollsAs="Pairs"
      caption="Pairs of lists, those that share the most first"
      rows={rows}
      keyOf={({ first, second }) => `${first} ${second}`}
      isFaded={({ relation }) => relation === "disjoint"}
      columns={[
        { title: "List", cell: ({ first }) => name(first) },
        {
          title: "Relation",
          cell: ({ relation }) => (
            <Badge kind={relation === "overlaps" || relation === "disjoint" ? "plain" : "warning"}>
              {WORDS[relation]}
            </Badge>
          ),
        },
        { title: "Other list", cell: ({ second }) => name(second) },
        { title: "Shared addresses", kind: "number", cell: (pair) => formatDigits(pair[family].shared) },
        {
          title: "Of the list",
          kind: "number",
          cell: (pair) => shareText(pair[family].millionths_of_first, pair[family].shared),
        },
        {
          title: "Of the other",
          kind: "number",
          cell: (pair) => shareText(pair[family].millionths_of_second, pair[family].shared),
        },
      ]}
    />
  );
}
