import { useState } from "preact/hooks";
import { Page, Panel } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { fetchChoices } from "../deployments/deployments-api.ts";
import { type Choices, SourceList, sourceText } from "../deployments/source-list.tsx";
import type { DeploymentSource } from "../documents.ts";
import { rest, useLoad } from "../load.ts";
import { Combination } from "../sets/combination.tsx";
import { Relations } from "../sets/relations.tsx";
import { relate } from "../sets/sets-api.ts";
import "../deployments/deployments.css";

/** Milliseconds after the last change of the lists until they are compared. */
const REST = 300;

/** What lists of addresses have in common, and what they are together. */
export default function CompareLists() {
  const choices = useLoad(fetchChoices);
  return (
    <Page
      title="Compare lists"
      about="What lists have in common, which add nothing to the others, and their union, intersection or difference."
    >
      <Loaded of={choices} lines={8}>
        {(given) => <Comparison choices={given} />}
      </Loaded>
    </Page>
  );
}

function Comparison({ choices }: { readonly choices: Choices }) {
  const [sets, setSets] = useState<DeploymentSource[]>([]);
  const key = JSON.stringify(sets);
  const names = sets.map((set) => sourceText(set, choices));
  return (
    <>
      <div class="columns">
        <Panel>
          <SourceList
            title="Lists to compare"
            label="Add"
            hint="Their active rules and addresses, as they are now."
            sources={sets}
            choices={choices}
            onChange={setSets}
          />
        </Panel>
        <Panel>
          {sets.length === 0 ? (
            <p class="muted">Add a list to combine it with others.</p>
          ) : (
            <Combination key={key} sets={sets} names={names} />
          )}
        </Panel>
      </div>
      {sets.length < 2 ? (
        <Panel>
          <Empty icon="copy" title="Nothing to compare yet">
            Add two lists or more.
          </Empty>
        </Panel>
      ) : (
        <Compared sets={sets} names={names} />
      )}
    </>
  );
}

function Compared({ sets, names }: { readonly sets: DeploymentSource[]; readonly names: readonly string[] }) {
  // With the names that belong to it: the last answer stays while the next is computed.
  const relations = useLoad(
    async (signal) => {
      await rest(REST, signal);
      return { names, related: await relate(sets, signal) };
    },
    [JSON.stringify(sets)],
  );
  return (
    <div class={relations.isLoading ? "stack waiting" : "stack"} aria-busy={relations.isLoading}>
      <Loaded of={relations} lines={8}>
        {({ names: shown, related }) => <Relations names={shown} related={related} />}
      </Loaded>
    </div>
  );
}
