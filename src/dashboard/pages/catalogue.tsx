import { useState } from "preact/hooks";
import { NodeSearch } from "../catalogue/node-search.tsx";
import { NodeView } from "../catalogue/node-view.tsx";
import { CatalogueTree } from "../catalogue/tree.tsx";
import { CatalogueUpdates } from "../catalogue/updates.tsx";
import { Page, type PageProps } from "../components/page.tsx";
import { NoPlan } from "../lookup/no-plan.tsx";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";
import { hasPlan, hasRole } from "../session.ts";
import "./catalogue.css";

/** The tree of services beside the selected node, whose id is in the page's URL. */
export default function Catalogue({ query }: PageProps) {
  const id = query.get("id") ?? "";
  const [updates, setUpdates] = useState(0);
  const show = (next: string): void => navigate(hrefOf("/catalogue", { id: next }));
  return (
    <Page title="Catalogue" about="Services and networks, and their prefixes.">
      {id === "" && hasRole("admin") && <CatalogueUpdates onUpdated={() => setUpdates((count) => count + 1)} />}
      {!hasPlan("cbs") ? (
        <NoPlan area="cbs" what="the catalogue of services" />
      ) : (
        <div class="catalogue" key={updates}>
          <aside class="catalogue-side panel">
            <NodeSearch onShow={show} onNetwork={({ asn }) => navigate(hrefOf(`/networks/${asn}`))} />
            <div class="tree-box">
              <CatalogueTree shown={id} onShow={show} />
            </div>
          </aside>
          <div class="stack">
            <NodeView id={id} />
          </div>
        </div>
      )}
    </Page>
  );
}
