import { useState } from "preact/hooks";
import { get, post } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { DateTime, Time } from "../components/time.tsx";
import { Field, LabelField, Select } from "../components/form.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { actionsOf, LABEL, NewCredential } from "../credentials/credential-parts.tsx";
import { formatCount } from "../format.ts";
import type { ApiKey } from "../documents.ts";
import { RevokeKey } from "../keys/revoke-key.tsx";
import { useLoad } from "../load.ts";
import { hasRole } from "../session.ts";

export default function Keys() {
  const keys = useLoad((signal) => get("/dashboard/api/keys", { signal }));
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey>();
  const create = hasRole("admin") && (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New key
    </Button>
  );
  return (
    <Page
      title="Keys"
      about="Programs call the API with a key. Keys belong to the organisation, not to the user who created them."
      actions={create}
    >
      <Panel flush>
        <Loaded of={keys}>
          {({ items }) => (
            <Table
              caption="API keys"
              columns={columnsOf(setRevoking)}
              rows={items.toSorted(byState)}
              keyOf={({ id }) => id}
              isFaded={({ state }) => state !== "active"}
              empty={
                <Empty icon="key" title="No keys yet">
                  A key lets a firewall fetch a list, or a program change one. {create}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {isCreating && <NewKey onClose={() => setCreating(false)} onCreated={keys.reload} />}
      {revoking !== undefined && (
        <RevokeKey of={revoking} onClose={() => setRevoking(undefined)} onRevoked={keys.reload} />
      )}
    </Page>
  );
}

const STATES: readonly ApiKey["state"][] = ["active", "expired", "revoked"];

/** Valid ones first; among equals, newest first. */
function byState(a: ApiKey, b: ApiKey): number {
  return STATES.indexOf(a.state) - STATES.indexOf(b.state) || b.created_at.localeCompare(a.created_at);
}

const ACCESS: Readonly<Record<ApiKey["access"], string>> = { read: "Read", read_write: "Read and write" };

function columnsOf(revoke: (key: ApiKey) => void): Column<ApiKey>[] {
  return [
    LABEL,
    { title: "Key", cell: ({ start }) => <code title="First characters of the key">{start}…</code> },
    { title: "Access", cell: ({ access }) => <span class="nowrap">{ACCESS[access]}</span> },
    { title: "For", cell: ({ scopes, networks }) => <Limits {...{ scopes, networks }} /> },
    { title: "State", cell: ({ state, expires_at }) => <State {...{ state, expires_at }} /> },
    {
      title: "Expires",
      cell: ({ expires_at }) => (expires_at === null ? <span class="muted">never</span> : <DateTime at={expires_at} />),
    },
    {
      title: "Last used",
      cell: ({ last_used_at }) =>
        last_used_at === null ? <span class="muted">never</span> : <Time at={last_used_at} relative />,
    },
    {
      title: "Requests this month",
      kind: "number",
      cell: ({ requests_this_month }) => formatCount(requests_this_month),
    },
    ...actionsOf(revoke),
  ];
}

/** What a key is limited to. */
function Limits({ scopes, networks }: Pick<ApiKey, "scopes" | "networks">) {
  if (scopes.length === 0 && networks.length === 0) return <span class="muted">everything, from anywhere</span>;
  const [what, where] = [scopes.join(", ") || "everything", networks.join(", ") || "anywhere"];
  return (
    <span class="wrap">
      {what}, from {where}
    </span>
  );
}

/** The words of a field. */
function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

const SOON = 14 * 86_400_000;

function State({ state, expires_at }: Pick<ApiKey, "state" | "expires_at">) {
  if (state !== "active") return <Badge kind={state === "expired" ? "warning" : "plain"}>{state}</Badge>;
  const isSoon = expires_at !== null && Date.parse(expires_at) - Date.now() < SOON;
  return isSoon ? <Badge kind="warning">expires soon</Badge> : <Badge kind="good">active</Badge>;
}

interface NewKeyProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

function NewKey(props: NewKeyProps) {
  const [date, setDate] = useState("");
  const [access, setAccess] = useState<ApiKey["access"]>("read");
  const create = ({ label = "", expires_on = "", scopes = "", networks = "" }: Readonly<Record<string, string>>) => {
    const expiry = expires_on === "" ? {} : { expires_on };
    const body = { label, access, ...expiry, scopes: wordsOf(scopes), networks: wordsOf(networks) };
    return post("/dashboard/api/keys", { body });
  };
  return (
    <NewCredential
      title="New key"
      submit="Create key"
      create={create}
      shown={({ key, text }) => ({
        title: `The key "${key.label}"`,
        what: "key",
        why: "only its hash is stored",
        secret: text,
        children: (
          <p class="muted">
            {key.access === "read"
              ? "This key can only read: requests that change rulesets get 403 Forbidden."
              : "This key can read and write."}
          </p>
        ),
      })}
      {...props}
    >
      <LabelField hint="Where the key is used, for example the name of a firewall." />
      <Select
        name="access"
        label="Access"
        options={{ read: "Read: fetch lists, look up addresses", read_write: "Read and write: also change rulesets" }}
        value={access}
        onChange={(event) => setAccess(event.currentTarget.value as ApiKey["access"])}
        hint={ACCESS_HINTS[access]}
      />
      <Field
        name="scopes"
        label="Only for"
        optional
        placeholder="rulesets/ID deployments"
        hint="Areas (cbs, cti, edl), rulesets, deployments or lists, or one of these by its ID, with spaces between them. Other requests are refused."
      />
      <Field
        name="networks"
        label="Only from"
        optional
        placeholder="192.0.2.0/24"
        hint="Addresses and prefixes of the clients that may use the key."
      />
      <Field
        name="expires_on"
        label="Expires on"
        type="date"
        optional
        min={new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}
        onInput={(event) => setDate(event.currentTarget.value)}
        hint={<ExpiryHint date={date} />}
      />
    </NewCredential>
  );
}

const ACCESS_HINTS: Readonly<Record<ApiKey["access"], string>> = {
  read: "Requests that change rulesets will get 403 Forbidden. Choose Read and write for a program that adds or deletes rules; access cannot be changed later.",
  read_write:
    "Anyone who has the key can change and delete all rulesets of the organisation. Access cannot be changed later.",
};

/** A day begins at another time here than on the server. */
function ExpiryHint({ date }: { readonly date: string }) {
  if (Number.isNaN(Date.parse(date)))
    return <>The key works until midnight UTC at the start of that day. Without a date it never expires.</>;
  return (
    <>
      The key works until <DateTime at={`${date}T00:00:00Z`} inline />
    </>
  );
}
