import { useEffect, useState } from "preact/hooks";
import { get, post } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Pager } from "../components/pager.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import type { FoundThreat, SearchField, ThreatFacet } from "../documents.ts";
import { formatCount } from "../format.ts";
import { rest, useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { NoPlan } from "../lookup/no-plan.tsx";
import { navigate } from "../router.ts";
import { hasPlan, hasRole } from "../session.ts";
import {
  fieldsTyped,
  narrowed,
  queryOfValues,
  type Suggestion,
  valuesTyped,
  valueTyped,
} from "../threats/query-help.ts";
import "../threats/search.css";

/** Milliseconds after the last change of the query until it is asked. */
const REST = 250;
const PAGE_SIZE = 50;
const FACETS = ["classification", "tag", "src.geo.country.code", "src.asn.name", "network.port", "actor"];

/** Addresses of threat intelligence by a query, which becomes a deployment. */
export default function SearchThreats({ query }: PageProps) {
  const given = query.get("q") ?? "";
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  const change = (q: string): void => {
    setText(q);
    navigate(hrefOf("/threats/search", { q }), { replace: true });
  };
  return (
    <Page
      title="Search threat intelligence"
      about='Conditions such as tag:"mirai", country:CN, port IN (22, 23) or last_seen:7d, joined by AND, OR, NOT and parentheses.'
      actions={
        hasRole("editor") && text.trim() !== "" ? (
          <a class="button" href={hrefOf("/deployments/new", { cti_query: text.trim() })}>
            Make a deployment
          </a>
        ) : undefined
      }
    >
      {hasPlan("cti") ? <Search text={text} onChange={change} /> : <NoPlan area="cti" what="threat intelligence" />}
    </Page>
  );
}

interface SearchProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Search({ text, onChange }: SearchProps) {
  return (
    <>
      <Panel>
        <label class="stack">
          <span class="field-name">Query</span>
          <input
            type="search"
            class="mono"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={4096}
            value={text}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </label>
        <Suggestions text={text} onChange={onChange} />
      </Panel>
      <Results text={text.trim()} onChange={onChange} />
    </>
  );
}

/** Fields while one is typed; after a field, its values with their counts. */
function Suggestions({ text, onChange }: SearchProps) {
  const { data: fields = [] } = useLoad((signal) => get("/dashboard/api/cti/search:fields", { signal }));
  const { data: values = [] } = useLoad((signal) => suggestedValues(text, fields, signal), [text, fields.length]);
  const shown = values.length > 0 ? values : fieldsTyped(text, fields);
  return (
    <ul class="suggestions" aria-label="Suggestions">
      {shown.map((each) => (
        <li key={each.text}>
          <button type="button" class="button small" onClick={() => onChange(each.query)}>
            <bdi>{each.text}</bdi>
            {each.count !== undefined && <span class="muted"> {formatCount(each.count)}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

async function suggestedValues(
  text: string,
  fields: readonly SearchField[],
  signal: AbortSignal,
): Promise<Suggestion[]> {
  const typed = valueTyped(text, fields);
  if (typed === undefined) return [];
  await rest(REST, signal);
  const q = queryOfValues(typed.field, typed.start);
  const body = { fields: [typed.field.name], ...(q !== undefined && { q }) };
  const { facets } = await post("/dashboard/api/cti/search:facets", { body, signal });
  return valuesTyped(facets[0]?.values ?? [], typed);
}

function Results({ text, onChange }: SearchProps) {
  const [page, setPage] = useState(1);
  useEffect(() => setPage(1), [text]);
  const found = useLoad(
    async (signal) => {
      if (text === "") return null;
      await rest(REST, signal);
      const params = { query: { q: text, page, page_size: PAGE_SIZE } };
      const [listed, counted] = await Promise.all([
        get("/dashboard/api/cti/search", { params, signal }),
        post("/dashboard/api/cti/search:facets", { body: { q: text, fields: FACETS }, signal }),
      ]);
      return { ...listed, facets: counted.facets };
    },
    [text, page],
  );
  return (
    <div class={found.isLoading ? "stack waiting" : "stack"} aria-busy={found.isLoading}>
      <Loaded of={found} lines={8}>
        {(data) =>
          data === null ? (
            <Panel>
              <Empty icon="search" title="Nothing to search for yet">
                Type a field, or an address, a prefix, AS13335 or CVE-2024-3400.
              </Empty>
            </Panel>
          ) : (
            <>
              {data.unavailable.length > 0 && (
                <p class="muted">
                  The dataset does not hold {data.unavailable.join(", ")}: such conditions match nothing.
                </p>
              )}
              <Facets facets={data.facets} onPick={(field, value) => onChange(narrowed(text, field, value))} />
              <Panel flush>
                <Found items={data.items} />
                <Pager page={page} pageSize={PAGE_SIZE} count={data.count} what="documents" onPage={setPage} />
              </Panel>
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Facets({
  facets,
  onPick,
}: {
  readonly facets: readonly ThreatFacet[];
  readonly onPick: (field: string, value: string) => void;
}) {
  return (
    <div class="facets">
      {facets
        .filter(({ values }) => values.length > 0)
        .map(({ field, values, distinct }) => (
          <Panel key={field} title={<span class="mono">{field}</span>}>
            <ul>
              {values.map(({ value, count }) => (
                <li key={value}>
                  <button type="button" class="link wrap" onClick={() => onPick(field, value)}>
                    <bdi>{value}</bdi>
                  </button>
                  <span class="muted">{formatCount(count)}</span>
                </li>
              ))}
            </ul>
            {distinct > values.length && <p class="muted small">and {formatCount(distinct - values.length)} more</p>}
          </Panel>
        ))}
    </div>
  );
}

function Found({ items }: { readonly items: readonly FoundThreat[] }) {
  return (
    <Table
      caption="Documents"
      rows={items}
      keyOf={({ ip }) => ip}
      empty={<Empty title="No document matches" />}
      columns={[
        {
          title: "Address",
          cell: ({ ip }) => (
            <a class="mono" href={hrefOf("/lookup", { ip })}>
              {ip}
            </a>
          ),
        },
        { title: "Classification", cell: ({ classification }) => <Badge>{classification}</Badge> },
        { title: "Actor", cell: ({ actor }) => <bdi class="wrap">{actor}</bdi> },
        { title: "Tags", cell: ({ tags }) => <bdi class="wrap">{tags.join(", ")}</bdi> },
      ]}
    />
  );
}
