import { useState } from "preact/hooks";
import { LabelField } from "../components/form.tsx";
import { NewCredential } from "../credentials/credential-parts.tsx";
import type { TaxiiCollection, TaxiiCredential } from "../documents.ts";
import { createTaxiiCredential, type TaxiiAccess } from "./taxii-api.ts";

interface Props {
  readonly access: TaxiiAccess;
  /** The credential that the new one replaces; undefined if there is none. */
  readonly before?: TaxiiCredential | undefined;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** A credential for a TAXII client, or another one for a client that has one; its password is shown once. */
export function NewTaxiiCredential({ access: { collections, server }, before, ...props }: Props) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(before?.collections));
  // Collections that have been deleted meanwhile are left out.
  const ids = collections.flatMap(({ id }) => (chosen.has(id) ? [id] : []));
  return (
    <NewCredential
      title={before === undefined ? "New TAXII credential" : `Replace "${before.label}"`}
      submit="Create credential"
      disabled={ids.length > 0 ? undefined : "Choose a collection first."}
      create={({ label = "" }) => createTaxiiCredential(label, ids)}
      shown={({ credential, password }) => ({
        title: `The password of "${credential.label}"`,
        what: "password",
        why: "only its hash is stored",
        secret: password,
        children: (
          <>
            <p>
              The client signs in at <code class="wrap">{server}</code> as the user <code>{credential.username}</code>.
            </p>
            {before !== undefined && (
              <p class="muted">
                The previous credential, <code>{before.username}</code>, works until you revoke it.
              </p>
            )}
          </>
        ),
      })}
      {...props}
    >
      <LabelField hint="The client that uses it, for example the name of a SIEM." defaultValue={before?.label ?? ""} />
      <CollectionBoxes {...{ collections, chosen }} onChange={setChosen} />
    </NewCredential>
  );
}

const SOURCES: Readonly<Record<TaxiiCollection["source"], string>> = {
  ruleset: "ruleset",
  deployment: "deployment",
  dataset: "dataset, readable with a plan for threat intelligence",
};

function CollectionBoxes({
  collections,
  chosen,
  onChange,
}: {
  readonly collections: readonly TaxiiCollection[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}) {
  return (
    <fieldset class="field">
      <legend class="field-name">Collections it can read</legend>
      {collections.map(({ id, title, source }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.has(id)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(new Set(checked ? [...chosen, id] : [...chosen].filter((each) => each !== id)))
            }
          />
          <span>
            <span class="wrap">{title}</span> <span class="muted">{SOURCES[source]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
