import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { actionsOf, askToRevoke, CREATED, LABEL, STATE } from "../credentials/credential-parts.tsx";
import type { TaxiiCredential } from "../documents.ts";
import { useLoad } from "../load.ts";
import { hasRole } from "../session.ts";
import { NewTaxiiCredential } from "../taxii/new-taxii-credential.tsx";
import { fetchTaxiiAccess, revokeTaxiiCredential, type TaxiiAccess } from "../taxii/taxii-api.ts";

/** What is being created: a credential, which may replace another one. */
interface Creating {
  readonly before?: TaxiiCredential;
}

/** The credentials of programs that read indicators over TAXII, and what each can read. */
export default function TaxiiClients() {
  const access = useLoad(fetchTaxiiAccess);
  const [creating, setCreating] = useState<Creating>();
  const create = hasRole("admin") && (
    <Button look="primary" icon="plus" disabled={access.data === undefined} onClick={() => setCreating({})}>
      New credential
    </Button>
  );
  return (
    <Page
      title="TAXII clients"
      about="Threat-intelligence platforms and SIEMs read rulesets, deployments and the threat intelligence as STIX indicators, each with a credential of its own."
      actions={create}
    >
      <Panel flush>
        <Loaded of={access}>
          {(data) => (
            <Table
              caption="TAXII credentials"
              columns={columnsOf(data, (before) => setCreating({ before }), access.reload)}
              rows={data.credentials}
              keyOf={({ id }) => id}
              isFaded={({ state }) => state === "revoked"}
              empty={
                <Empty icon="download" title="No credentials yet">
                  A credential lets a TAXII 2.1 client read the collections that you choose. {create}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {access.data !== undefined && <Server url={access.data.server} />}
      {access.data !== undefined && creating !== undefined && (
        <NewTaxiiCredential
          access={access.data}
          before={creating.before}
          onClose={() => setCreating(undefined)}
          onCreated={access.reload}
        />
      )}
    </Page>
  );
}

function Server({ url }: { readonly url: string }) {
  return (
    <Panel title="Server URL for TAXII clients">
      <div class="secret">
        <code>{url}</code>
        <CopyButton text={url} label="Copy URL" />
      </div>
    </Panel>
  );
}

function columnsOf(
  { collections }: TaxiiAccess,
  replace: (before: TaxiiCredential) => void,
  reload: () => void,
): Column<TaxiiCredential>[] {
  const titles = new Map(collections.map(({ id, title }) => [id, title]));
  return [
    LABEL,
    { title: "User", cell: ({ username }) => <code>{username}</code> },
    {
      title: "Collections",
      cell: ({ collections: ids }) => (
        <span class="wrap">{ids.map((id) => titles.get(id) ?? "(deleted)").join(", ")}</span>
      ),
    },
    STATE,
    CREATED,
    ...actionsOf<TaxiiCredential>(
      (credential) => revoke(credential, reload),
      (credential) => (
        <Button small aria-label={`Replace ${credential.label}`} onClick={() => replace(credential)}>
          Replace
        </Button>
      ),
    ),
  ];
}

function revoke(credential: TaxiiCredential, reload: () => void): void {
  const text = (
    <>
      A client that signs in as <code>{credential.username}</code> gets 401 from now on; it keeps its current
      indicators.
    </>
  );
  askToRevoke(credential, { what: "credential", text, run: () => revokeTaxiiCredential(credential.id) }, reload);
}
