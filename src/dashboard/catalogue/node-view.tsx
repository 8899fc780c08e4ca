import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { get } from "../api.ts";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Panel } from "../components/page.tsx";
import { Loaded, Note } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { formatCount, formatCounted } from "../format.ts";
import type { CatalogueAbout } from "../documents.ts";
import { useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { layerText, sourcesOf } from "./about.ts";
import { Ranges } from "./ranges.tsx";
import { SourceLine, Sources } from "./sources.tsx";
import type { Child, Node } from "./tree-state.ts";

/** A node with its content; `id` is empty for the whole catalogue. */
export function NodeView({ id }: { readonly id: string }) {
  const node = useLoad(
    async (signal) => ({
      requested: id,
      node: await get("/dashboard/api/cbs/node", { ...(id === "" ? {} : { params: { query: { id } } }), signal }),
    }),
    [id],
  );
  const about = useLoad((signal) => get("/dashboard/api/catalogue", { signal }));
  return (
    <Loaded of={{ ...node, data: node.data?.requested === id && node.problem === undefined ? node.data : undefined }}>
      {({ node: shown }) => (
        <>
          {about.data !== undefined && <Ages about={about.data} />}
          <Facts node={shown} about={about.data} />
          {shown.children.length > 0 && <Children node={shown} about={about.data} />}
          <Ranges key={id} id={id} name={shown.id === null ? "catalogue" : shown.id} />
        </>
      )}
    </Loaded>
  );
}

/** What is outdated, and how to update it. */
function Ages({ about: { layers } }: { readonly about: CatalogueAbout }) {
  const old = layers.filter(({ is_old }) => is_old);
  if (old.length === 0) return null;
  return (
    <Note kind="warning">
      {old.map((layer) => (
        <p key={layer.layer}>
          {layerText(layer)}: {layer.age_days} days old; {layer.advice}.
        </p>
      ))}
    </Note>
  );
}

function Facts({ node, about }: { readonly node: Node; readonly about: CatalogueAbout | undefined }) {
  const rows: (readonly [string, ComponentChildren])[] = [
    [
      "IPv4",
      <>
        {formatCount(node.ipv4_count)} prefixes, {formatCount(node.ipv4_addresses)} addresses
      </>,
    ],
    ["IPv6", `${formatCount(node.ipv6_count)} prefixes`],
    [
      "Catalogue of",
      <>
        <Time at={node.updated_at} /> (<Time at={node.updated_at} relative />)
      </>,
    ],
    ...(node.id === null && about !== undefined
      ? about.layers.map((layer): [string, ComponentChildren] => [
          layerText(layer),
          layer.newest_at === null ? (
            "of unknown age"
          ) : (
            <>
              the newest <Time at={layer.newest_at} relative />
            </>
          ),
        ])
      : []),
    ["Service", node.service],
    ["Region", node.region],
  ];
  return (
    <Panel
      title={
        <>
          <Breadcrumb node={node} />
          {node.name}
        </>
      }
      actions={
        node.id !== null && (
          <span class="row">
            <code class="wrap">{node.id}</code>
            <CopyButton iconOnly label="Copy the id" text={node.id} />
          </span>
        )
      }
    >
      <dl class="facts">
        {rows
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [<dt key={`${name}?`}>{name}</dt>, <dd key={name}>{value}</dd>])}
        {about !== undefined && [
          <dt key="from?">Source</dt>,
          <dd key="from">
            <Sources
              sources={
                node.id === null
                  ? about.sources
                  : sourcesOf(
                      about,
                      node.id,
                      node.sources.map(({ source }) => source),
                    )
              }
            />
          </dd>,
        ]}
      </dl>
    </Panel>
  );
}

function Breadcrumb({ node: { id, path } }: { readonly node: Node }) {
  if (id === null) return null;
  return (
    <nav class="breadcrumb" aria-label="Parent nodes">
      <a href={hrefOf("/catalogue")}>Catalogue</a> <span aria-hidden="true">›</span>{" "}
      {path.map((above) => (
        <span key={above.id}>
          <a href={hrefOf("/catalogue", { id: above.id })}>{above.name}</a> <span aria-hidden="true">›</span>{" "}
        </span>
      ))}
    </nav>
  );
}

/** Types and providers as cards; what is below them as a table, since there may be hundreds. */
function Children({ node, about }: { readonly node: Node; readonly about: CatalogueAbout | undefined }) {
  const bySize = node.children.toSorted((a, b) => b.ipv4_addresses - a.ipv4_addresses || b.ipv6_count - a.ipv6_count);
  if (node.provider === null)
    return (
      <Cards
        key={node.id}
        title={node.id === null ? "Types" : formatCounted(bySize.length, "provider")}
        items={bySize}
        about={node.id === null ? undefined : about}
      />
    );
  return (
    <Panel title="Contents" flush>
      <Table
        scrollsAs="Child nodes"
        caption="Child nodes, largest first"
        rows={bySize}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Name",
            cell: ({ id, name }) => (
              <a class="wrap" href={hrefOf("/catalogue", { id })}>
                {name}
              </a>
            ),
          },
          { title: "IPv4 prefixes", kind: "number", cell: ({ ipv4_count }) => formatCount(ipv4_count) },
          { title: "IPv6 prefixes", kind: "number", cell: ({ ipv6_count }) => formatCount(ipv6_count) },
          { title: "IPv4 addresses", kind: "number", cell: ({ ipv4_addresses }) => formatCount(ipv4_addresses) },
        ]}
      />
    </Panel>
  );
}

const MAX_CARDS = 18;

/** The largest ones, and the others on request. */
function Cards({
  title,
  items,
  about,
}: {
  readonly title: string;
  readonly items: readonly Child[];
  readonly about: CatalogueAbout | undefined;
}) {
  const [isWhole, setWhole] = useState(items.length <= MAX_CARDS * 1.5);
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      <ul class="cards">
        {(isWhole ? items : items.slice(0, MAX_CARDS)).map((child) => (
          <li key={child.id}>
            <Card child={child} most={items[0]!.ipv4_addresses} about={about} />
          </li>
        ))}
      </ul>
      {!isWhole && (
        <div>
          <Button onClick={() => setWhole(true)}>Show all {formatCount(items.length)}</Button>
        </div>
      )}
    </section>
  );
}

function Card({
  child: { id, name, ipv4_count, ipv6_count, ipv4_addresses, sources },
  most,
  about,
}: {
  readonly child: Child;
  readonly most: number;
  readonly about: CatalogueAbout | undefined;
}) {
  return (
    <a class="card" href={hrefOf("/catalogue", { id })}>
      <span class="card-name">{name}</span>
      <span class="card-bar" aria-hidden="true">
        <i class="c0" style={{ width: `${most === 0 ? 0 : (100 * ipv4_addresses) / most}%` }} />
      </span>
      <span class="card-figures small">
        <b>{formatCount(ipv4_addresses)}</b> IPv4 addresses
      </span>
      <span class="muted small">
        {formatCount(ipv4_count)} IPv4 and {formatCount(ipv6_count)} IPv6 prefixes
      </span>
      {about !== undefined && <SourceLine sources={sourcesOf(about, id, sources)} />}
    </a>
  );
}
