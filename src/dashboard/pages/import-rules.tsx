import { useEffect, useState } from "preact/hooks";
import { Button, IconButton } from "../components/button.tsx";
import { DropZone } from "../components/drop-zone.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Empty, Note, ProblemNote, Skeleton } from "../components/states.tsx";
import { notifyProblem } from "../components/toasts.tsx";
import { formatBytes, formatCount, formatCounted } from "../format.ts";
import { type Loading, rest, useLoad } from "../load.ts";
import { hrefOf } from "../location.ts";
import { type Problem, problemOf } from "../problem.ts";
import { navigate } from "../router.ts";
import { CannotUndo, WriteFailure } from "../rulesets/write-notes.tsx";
import { takeCarriedList } from "../rulesets/carried-list.ts";
import { ConfirmShrink, type ShrinkPermission, shrinkText } from "../rulesets/confirm-shrink.tsx";
import { collateralText } from "../rulesets/collateral.ts";
import { ConflictModes } from "../rulesets/conflict-modes.tsx";
import { examineList, type Examined, type Way } from "../rulesets/examine-list.ts";
import { ExaminedList } from "../rulesets/examined-list.tsx";
import { defaultsQuery, ListDefaultsInput, NO_DEFAULTS } from "../rulesets/list-defaults.tsx";
import { guessType, isEmpty, LIST_NAMES, type ListType, readFile, type RuleList } from "../rulesets/read-list.ts";
import { type ConflictMode, fetchRuleset, importList, replaceRules } from "../rulesets/rules-api.ts";
import { RulesetTrail } from "../rulesets/ruleset-trail.tsx";
import { announceChange } from "../rulesets/undo.ts";
import { session } from "../session.ts";
import "../rulesets/rulesets.css";

/** A list as entered: typed, or a file. */
interface Given extends RuleList {
  readonly fileName?: string;
}

function firstGiven(): Given {
  const text = takeCarriedList();
  return { type: "text/plain", ...(text === undefined ? { text: "" } : { text, fileName: "The combined list" }) };
}

/** Milliseconds after the last key press until the server checks the list. */
const REST = 350;

/** Imports a list of rules; all changes are shown before anything is written, and then all of them are made or none. */
export default function ImportRules({ params }: PageProps) {
  const rulesetId = params["ruleset_id"]!;
  const ruleset = useLoad((signal) => fetchRuleset(rulesetId, signal), [rulesetId]);
  const [given, setGiven] = useState(firstGiven);
  const [kind, setKind] = useState<Way["kind"]>("add");
  const [mode, setMode] = useState<ConflictMode>("extend");
  const [defaults, setDefaults] = useState(NO_DEFAULTS);
  const way: Way = kind === "add" ? { kind, mode, defaults } : { kind, defaults };
  const examined = useLoad(
    async (signal) => {
      if (isEmpty(given)) return null;
      await rest(REST, signal);
      return examineList(rulesetId, given, way, signal);
    },
    [rulesetId, given, kind, mode, defaults],
  );
  return (
    <Page title="Import a list" about={<RulesetTrail id={rulesetId} name={ruleset.data?.name} />}>
      {ruleset.problem !== undefined && <ProblemNote problem={ruleset.problem} retry={ruleset.reload} />}
      <div class="import">
        <Panel title="The list">
          <ListInput given={given} onGiven={setGiven} />
        </Panel>
        <Panel title="How to import it">
          <WayInput {...{ kind, mode, setKind, setMode }} />
          <ListDefaultsInput value={defaults} onChange={setDefaults} />
        </Panel>
      </div>
      <Verdicts rulesetId={rulesetId} list={given} way={way} examined={examined} />
    </Page>
  );
}

function ListInput({ given, onGiven }: { readonly given: Given; readonly onGiven: (given: Given) => void }) {
  const most = session.value!.settings.bulk_body_bytes;
  const [isReading, setReading] = useState(false);
  const take = async (file: File): Promise<void> => {
    setReading(true);
    try {
      const text = await readFile(file, most);
      onGiven({ text, type: guessType(text, file.name), fileName: file.name });
    } catch (error) {
      notifyProblem(error);
    }
    setReading(false);
  };
  return (
    <>
      {given.fileName === undefined ? (
        <textarea
          class="list-text"
          aria-label="Rules, one per line"
          spellcheck={false}
          placeholder={"203.0.113.0/24\n198.51.100.7\n2001:db8::/32"}
          value={given.text}
          onInput={({ currentTarget: { value } }) => onGiven({ text: value, type: guessType(value) })}
        />
      ) : (
        <FileCard given={given} onClear={() => onGiven({ type: "text/plain", text: "" })} />
      )}
      {isEmpty(given) && (
        <DropZone
          label="or drop a file here"
          hint={`Text, CSV or NDJSON, up to ${formatBytes(most)}`}
          accept=".txt,.csv,.ndjson,.jsonl,.list,text/plain,text/csv"
          disabled={isReading}
          onFile={(file) => void take(file)}
        />
      )}
      {!isEmpty(given) && (
        <label class="row format">
          Format
          <select
            value={given.type}
            onChange={({ currentTarget: { value } }) => onGiven({ ...given, type: value as ListType })}
          >
            {Object.entries(LIST_NAMES).map(([type, title]) => (
              <option key={type} value={type}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

function FileCard({ given: { fileName, text }, onClear }: { readonly given: Given; readonly onClear: () => void }) {
  const head = text
    .slice(0, 2000)
    .split(/\r\n?|\n/, 9)
    .slice(0, 8)
    .join("\n");
  return (
    <div class="file-card">
      <div class="row">
        <strong class="wrap">
          <bdi>{fileName}</bdi>
        </strong>
        <span class="muted">{formatCounted(text.length, "character")}</span>
        <IconButton icon="close" label="Choose another list" onClick={onClear} />
      </div>
      <pre class="small">{head}</pre>
    </div>
  );
}

interface WayProps {
  readonly kind: Way["kind"];
  readonly mode: ConflictMode;
  readonly setKind: (kind: Way["kind"]) => void;
  readonly setMode: (mode: ConflictMode) => void;
}

function WayInput({ kind, mode, setKind, setMode }: WayProps) {
  return (
    <>
      <fieldset class="field">
        <legend class="hidden">What to do with the list</legend>
        <div class="choices">
          <label class="choice">
            <input type="radio" name="way" checked={kind === "add"} onChange={() => setKind("add")} />
            <span>Add to the rules</span>
          </label>
          <label class="choice">
            <input type="radio" name="way" checked={kind === "replace"} onChange={() => setKind("replace")} />
            <span>Replace all rules</span>
          </label>
        </div>
      </fieldset>
      {kind === "add" ? (
        <ConflictModes value={mode} onChange={setMode} />
      ) : (
        <Note kind="warning">
          The list replaces the ruleset: rules that are not in it are removed. Rules that stay keep their creation time.
        </Note>
      )}
    </>
  );
}

interface VerdictsProps {
  readonly rulesetId: string;
  readonly list: RuleList;
  readonly way: Way;
  readonly examined: Loading<Examined | null>;
}

function Verdicts({ rulesetId, list, way, examined: { data, problem, isLoading, reload } }: VerdictsProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Problem>();
  const [isConfirming, setConfirming] = useState(false);
  useEffect(() => setFailure(undefined), [list, way.kind]);
  if (isEmpty(list))
    return (
      <Panel>
        <Empty icon="identify" title="Nothing has been written yet">
          Add a list to preview every change.
        </Empty>
      </Panel>
    );
  const commit = async (examined: Examined, permission?: ShrinkPermission): Promise<void> => {
    const { tag, shrink } = examined;
    if (shrink !== undefined && permission === undefined) return setConfirming(true);
    setConfirming(false);
    setBusy(true);
    setFailure(undefined);
    try {
      const text = await write(rulesetId, list, way, {
        tag,
        permission,
        skipInvalid: (examined.counts.error ?? 0) > 0,
      });
      navigate(hrefOf(`/rulesets/${rulesetId}`));
      await announceChange(text);
    } catch (error) {
      setFailure(problemOf(error));
      if (problemOf(error).status === 412) reload();
    }
    setBusy(false);
  };
  return (
    <Panel
      title="Preview"
      flush
      actions={
        data && (
          <CommitButton {...{ examined: data, way, isBusy, isStale: isLoading }} onCommit={() => void commit(data)} />
        )
      }
    >
      <WriteFailure problem={failure} />
      {problem !== undefined && <ProblemNote problem={problem} retry={reload} />}
      {data && hasErrors(data) && (
        <div class="panel-note">
          <Note kind={canSkip(data) ? "warning" : "bad"}>
            <strong>{errorText(data)}</strong> {cureOf(data)}
          </Note>
        </div>
      )}
      {data?.canUndo === false && <CannotUndo />}
      {data?.shrink !== undefined && (
        <div class="panel-note">
          <Note kind="warning">
            <strong>{shrinkText(data.shrink)}</strong> You will be asked to confirm.
          </Note>
        </div>
      )}
      {data?.shrink !== undefined && isConfirming && (
        <ConfirmShrink
          shrink={data.shrink}
          onClose={() => setConfirming(false)}
          onAgreed={(permission) => commit(data, permission)}
        />
      )}
      {data ? <ExaminedList examined={data} isBusy={isLoading} /> : problem === undefined && <Skeleton lines={6} />}
    </Panel>
  );
}

function hasErrors({ counts: { error = 0, conflict = 0 } }: Examined): boolean {
  return error + conflict > 0;
}

/** Whether something can be written, possibly without some lines. */
function canSkip({ counts: { conflict = 0 }, refusal }: Examined): boolean {
  return conflict === 0 && refusal === undefined;
}

function cureOf(examined: Examined): string {
  if (examined.refusal !== undefined) return `Cannot be imported: ${examined.refusal}.`;
  return canSkip(examined)
    ? "Fix the list; it is checked again automatically. Or skip these lines."
    : "Fix the list; it is checked again automatically. Nothing is written while a line conflicts with an existing rule.";
}

function errorText({ counts: { error = 0, conflict = 0 } }: Examined): string {
  const parts = [
    error > 0 && `${formatCounted(error, "line")} cannot be parsed`,
    conflict > 0 && `${formatCounted(conflict, "line conflicts", "lines conflict")} with an existing rule`,
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}

function CommitButton({
  examined,
  way,
  isBusy,
  isStale,
  onCommit,
}: {
  readonly examined: Examined;
  readonly way: Way;
  readonly isBusy: boolean;
  readonly isStale: boolean;
  readonly onCommit: () => void;
}) {
  const { created = 0, updated = 0, removed = 0 } = examined.counts;
  const isNothing = created + updated + removed === 0;
  return (
    <Button
      look={way.kind === "replace" ? "danger" : "primary"}
      busy={isBusy}
      disabled={!canSkip(examined) || isStale || isNothing}
      onClick={onCommit}
    >
      {commitText(examined, way)}
    </Button>
  );
}

/** The text of the button, with the number of rules. */
function commitText(
  { counts: { error = 0, created = 0, updated = 0, skipped = 0, removed = 0 }, unchanged }: Examined,
  { kind }: Way,
): string {
  const count = created + updated + skipped + unchanged;
  const others = count === 1 ? "valid one" : `${formatCount(count)} valid ones`;
  if (kind === "replace") return error > 0 ? `Replace the rules with the ${others}` : "Replace the rules";
  if (created + updated + removed === 0) return "Nothing to import";
  return error > 0 ? `Import the ${others}` : `Import ${formatCounted(created + updated, "rule")}`;
}

interface Writing {
  readonly tag: string;
  readonly permission: ShrinkPermission | undefined;
  readonly skipInvalid: boolean;
}

/** Writes all of the list, except for the lines to leave out, or nothing. Returns what was done, in words. */
async function write(
  rulesetId: string,
  list: RuleList,
  way: Way,
  { tag, permission = {}, skipInvalid }: Writing,
): Promise<string> {
  const reading = { ...defaultsQuery(way.defaults), skip_invalid: skipInvalid };
  if (way.kind === "replace") {
    const done = await replaceRules(rulesetId, list, reading, permission, tag);
    const { added, updated, removed, invalid = 0, warnings } = done;
    return `Rules replaced: ${formatCount(added)} added, ${formatCount(updated)} updated, ${formatCount(removed)} removed${leftOut(invalid)}.${collateralText(warnings)}`;
  }
  const done = await importList(rulesetId, list, way.mode, reading, tag);
  const { created, updated, skipped, invalid = 0, warnings } = done;
  return `List imported: ${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(skipped)} skipped${leftOut(invalid)}.${collateralText(warnings)}`;
}

function leftOut(lines: number): string {
  return lines === 0 ? "" : `, ${formatCounted(lines, "line")} left out`;
}
