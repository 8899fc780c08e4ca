import { useState } from "preact/hooks";
import { NodeSearch } from "../catalogue/node-search.tsx";
import { Button, IconButton } from "../components/button.tsx";
import { Field, Select } from "../components/form.tsx";
import type { DeploymentSource, ExternalList, Ruleset } from "../documents.ts";
import { countryName, formatCounted } from "../format.ts";
import { hrefOf } from "../location.ts";
import { hasPlan } from "../session.ts";

/** What sources refer to by id. */
export interface Choices {
  readonly rulesets: readonly Ruleset[];
  readonly lists: readonly ExternalList[];
}

type Kind = "ruleset" | "cbs" | "asn" | "country" | "cti" | "query" | "list" | "prefixes" | "atleast";

const KINDS: Readonly<Record<Kind, string>> = {
  ruleset: "A ruleset",
  cbs: "A service of the catalogue",
  asn: "A network (AS number)",
  country: "A country",
  cti: "Threat intelligence",
  query: "A query of threat intelligence",
  list: "An external list",
  prefixes: "Addresses and prefixes",
  atleast: "Agreement of several",
};
/** The plan that a kind needs; the others need none of these. */
const PLANS: Partial<Readonly<Record<Kind, "cbs" | "cti">>> = {
  cbs: "cbs",
  asn: "cbs",
  country: "cbs",
  cti: "cti",
  query: "cti",
};
type Classification = NonNullable<NonNullable<DeploymentSource["cti"]>["classification"]>;
const CLASSIFICATIONS: Readonly<Record<Classification | "", string>> = {
  "": "Any",
  malicious: "Malicious",
  promiscuous: "Promiscuous",
  benign: "Benign",
  unknown: "Unknown",
};

function countryText(code: string): string {
  const name = countryName(code);
  return name === code ? code : `${name} (${code})`;
}

/** What a source is called. */
export function sourceText(source: DeploymentSource, { rulesets, lists }: Choices): string {
  if (source.list !== undefined)
    return `List ${lists.find(({ id }) => id === source.list)?.name ?? `${source.list} (deleted)`}`;
  if (source.ruleset !== undefined)
    return `Ruleset ${rulesets.find(({ id }) => id === source.ruleset)?.name ?? `${source.ruleset} (deleted)`}`;
  if (source.cbs !== undefined) return `Catalogue ${source.cbs}`;
  if (source.asn !== undefined) return `Network AS${source.asn}`;
  if (source.country !== undefined) return `Country ${countryText(source.country)}`;
  if (source.atleast !== undefined) {
    const voters = (source.of ?? []).map((each, at) => {
      const text = sourceText(each, { rulesets, lists });
      return source.weights === undefined ? text : `${text} (${formatCounted(source.weights[at]!, "vote")})`;
    });
    return `At least ${source.atleast} of: ${voters.join("; ")}`;
  }
  if (source.prefixes !== undefined) {
    const [first = ""] = source.prefixes;
    const more = source.prefixes.length - 1;
    return more === 0 ? first : `${first} and ${formatCounted(more, "more prefix", "more prefixes")}`;
  }
  if (source.cti_query !== undefined) return `Threat intelligence: ${source.cti_query}`;
  const { classification, tags = [], seen_within_days: days } = source.cti ?? {};
  const parts = [
    classification ?? "any classification",
    ...(tags.length === 0 ? [] : [`tagged ${tags.join(" or ")}`]),
    ...(days === undefined ? [] : [`seen within ${formatCounted(days, "day")}`]),
  ];
  return `Threat intelligence: ${parts.join(", ")}`;
}

interface Props {
  /** "Include", "Exclude", or what else the sources are for. */
  readonly title: string;
  /** Of the choice of a kind of source. */
  readonly label?: string;
  readonly hint: string;
  readonly sources: readonly DeploymentSource[];
  readonly choices: Choices;
  readonly onChange: (sources: DeploymentSource[]) => void;
  /** Whether they vote, which votes cannot. */
  readonly areVoters?: boolean;
}

/** Sources that can be removed, and a way to add others. */
export function SourceList({ title, label, hint, sources, choices, onChange, areVoters = false }: Props) {
  const add = (source: DeploymentSource): void => {
    if (!sources.some((each) => JSON.stringify(each) === JSON.stringify(source))) onChange([...sources, source]);
  };
  return (
    <fieldset class="picked-sources">
      <legend class="field-name">{title}</legend>
      <p class="hint">{hint}</p>
      {sources.length > 0 && (
        <ul>
          {sources.map((source, at) => {
            const text = sourceText(source, choices);
            return (
              <li key={JSON.stringify(source)}>
                <bdi class="wrap">{text}</bdi>
                <IconButton
                  icon="close"
                  label={`Remove ${text}`}
                  onClick={() => onChange(sources.filter((_, other) => other !== at))}
                />
              </li>
            );
          })}
        </ul>
      )}
      <AddSource title={title} label={label ?? `${title} from`} choices={choices} onAdd={add} areVoters={areVoters} />
    </fieldset>
  );
}

function AddSource({
  title,
  label,
  choices,
  onAdd,
  areVoters,
}: Pick<Props, "title" | "choices" | "areVoters"> & AddProps & { readonly label: string }) {
  const [kind, setKind] = useState<Kind>("ruleset");
  const kinds = Object.fromEntries(
    Object.entries(KINDS).filter(([each]) => {
      const plan = PLANS[each as Kind];
      return (plan === undefined || hasPlan(plan)) && !(each === "atleast" && areVoters === true);
    }),
  );
  return (
    <div class="add-source">
      <Select
        name="kind"
        label={label}
        options={kinds}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
      />
      {kind === "ruleset" && (
        <AddRuleset
          rulesets={choices.rulesets}
          likely={title === "Exclude" ? "allowlist" : "blocklist"}
          onAdd={onAdd}
        />
      )}
      {kind === "cbs" && <NodeSearch onShow={(cbs) => onAdd({ cbs })} />}
      {kind === "asn" && <NodeSearch onNetwork={({ asn }) => onAdd({ asn })} />}
      {kind === "country" && <AddCountry onAdd={onAdd} />}
      {kind === "cti" && <AddThreats onAdd={onAdd} />}
      {kind === "query" && <AddQuery onAdd={onAdd} />}
      {kind === "atleast" && <AddVote choices={choices} onAdd={onAdd} />}
      {kind === "list" && <AddList lists={choices.lists} onAdd={onAdd} />}
      {kind === "prefixes" && <AddPrefixes onAdd={onAdd} />}
    </div>
  );
}

interface AddProps {
  readonly onAdd: (source: DeploymentSource) => void;
}

function AddRuleset({
  rulesets,
  likely,
  onAdd,
}: AddProps & Pick<Choices, "rulesets"> & { readonly likely: Ruleset["purpose"] }) {
  const first = rulesets.find(({ purpose }) => purpose === likely) ?? rulesets[0];
  const [chosen, choose] = useState(first?.id);
  const id = chosen ?? first?.id;
  if (id === undefined) return <p class="hint">No rulesets yet.</p>;
  return (
    <>
      <Select
        name="ruleset"
        label="Ruleset"
        value={id}
        options={Object.fromEntries(rulesets.map((each) => [each.id, each.name]))}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <Button icon="plus" onClick={() => onAdd({ ruleset: id })}>
        Add ruleset
      </Button>
    </>
  );
}

function AddList({ lists, onAdd }: AddProps & Pick<Choices, "lists">) {
  const [chosen, choose] = useState(lists[0]?.id);
  if (chosen === undefined)
    return (
      <p class="hint">
        No external lists yet. <a href="#/lists">Add one</a>
      </p>
    );
  return (
    <>
      <Select
        name="list"
        label="External list"
        value={chosen}
        options={Object.fromEntries(lists.map(({ id, name }) => [id, name]))}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <Button icon="plus" onClick={() => onAdd({ list: chosen })}>
        Add list
      </Button>
    </>
  );
}

function AddThreats({ onAdd }: AddProps) {
  const [classification, setClassification] = useState("malicious");
  const [tags, setTags] = useState("");
  const [days, setDays] = useState("");
  const add = (): void => {
    const named = tags
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "");
    onAdd({
      cti: {
        ...(classification !== "" && { classification: classification as Classification }),
        ...(named.length > 0 && { tags: named }),
        ...(/^\d+$/.test(days) && { seen_within_days: Number(days) }),
      },
    });
  };
  return (
    <>
      <Select
        name="classification"
        label="Classification"
        options={CLASSIFICATIONS}
        value={classification}
        onChange={({ currentTarget }) => setClassification(currentTarget.value)}
      />
      <Field
        name="tags"
        label="Tags"
        optional
        value={tags}
        autocomplete="off"
        placeholder="ssh, http"
        hint="Matches entries with any of these tags."
        onInput={({ currentTarget }) => setTags(currentTarget.value)}
      />
      <Field
        name="days"
        label="Seen within (days)"
        optional
        type="number"
        min={0}
        value={days}
        onInput={({ currentTarget }) => setDays(currentTarget.value)}
      />
      <Button icon="plus" onClick={add}>
        Add selection
      </Button>
    </>
  );
}

function AddCountry({ onAdd }: AddProps) {
  const [text, setText] = useState("");
  const code = text.trim().toUpperCase();
  const isCode = /^[A-Z]{2}$/.test(code);
  return (
    <>
      <Field
        name="country"
        label="Country"
        value={text}
        maxLength={2}
        autocomplete="off"
        placeholder="DE"
        hint={isCode ? countryText(code) : "Two letters, ISO 3166-1."}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button icon="plus" disabled={!isCode} onClick={() => onAdd({ country: code })}>
        Add country
      </Button>
    </>
  );
}

function AddQuery({ onAdd }: AddProps) {
  const [text, setText] = useState("");
  return (
    <>
      <Field
        name="query"
        label="Query"
        value={text}
        autocomplete="off"
        placeholder="classification:malicious AND last_seen:7d"
        hint={<a href={hrefOf("/threats/search")}>Try a query first</a>}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button icon="plus" disabled={text.trim() === ""} onClick={() => onAdd({ cti_query: text.trim() })}>
        Add query
      </Button>
    </>
  );
}

/** Addresses that several sources agree about. */
function AddVote({ choices, onAdd }: AddProps & Pick<Props, "choices">) {
  const [of, setOf] = useState<DeploymentSource[]>([]);
  const [least, setLeast] = useState("2");
  const atleast = /^[1-9]\d*$/.test(least) ? Number(least) : 0;
  const add = (): void => {
    onAdd({ atleast, of });
    setOf([]);
  };
  return (
    <>
      <SourceList
        title="Sources that vote"
        label="Vote by"
        hint="Each address needs enough of them."
        sources={of}
        choices={choices}
        onChange={setOf}
        areVoters
      />
      <Field
        name="least"
        label="How many must agree"
        type="number"
        min={1}
        max={Math.max(1, of.length)}
        value={least}
        onInput={({ currentTarget }) => setLeast(currentTarget.value)}
      />
      <Button icon="plus" disabled={atleast < 1 || atleast > of.length} onClick={add}>
        Add agreement
      </Button>
    </>
  );
}

/** The server takes no longer source in a request. */
const MAX_PREFIX_BYTES = 65_536;

function AddPrefixes({ onAdd }: AddProps) {
  const [text, setText] = useState("");
  const prefixes = text
    .replaceAll(/#.*/g, "")
    .split(/[\s,;]+/)
    .filter((each) => each !== "");
  const isTooLong = JSON.stringify({ prefixes }).length > MAX_PREFIX_BYTES;
  const add = (): void => {
    onAdd({ prefixes });
    setText("");
  };
  return (
    <>
      <label class="stack-tight">
        Addresses and prefixes
        <textarea
          rows={3}
          spellcheck={false}
          value={text}
          placeholder={"203.0.113.0/24\n2001:db8::1"}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="hint" role="status">
        {isTooLong && "The list is too long to be added like this. Import it into a ruleset, and add the ruleset."}
      </p>
      <Button icon="plus" disabled={prefixes.length === 0 || isTooLong} onClick={add}>
        Add prefixes
      </Button>
    </>
  );
}
