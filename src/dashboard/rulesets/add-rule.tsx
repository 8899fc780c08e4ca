import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api.ts";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form } from "../components/form.tsx";
import { notify } from "../components/toasts.tsx";
import { rest, useLoad } from "../load.ts";
import { Problem } from "../problem.ts";
import { collateralText } from "./collateral.ts";
import { ConflictModes } from "./conflict-modes.tsx";
import { type Expiry, ExpiryFields, expiryOf } from "./expiry.tsx";
import { type ConflictMode, type NewRule, previewRule } from "./rules-api.ts";
import { announceChange } from "./undo.ts";
import { VerdictCard } from "./verdict.tsx";

interface Props {
  readonly rulesetId: string;
  /** The initial content of the address field. */
  readonly ip?: string | undefined;
  readonly onClose: () => void;
}

/** Adds a rule; its effect is shown while the user types. */
export function AddRule({ rulesetId, ip = "", onClose }: Props) {
  const fields = useRef<HTMLDivElement>(null);
  const [mode, setMode] = useState<ConflictMode>("extend");
  const [draft, setDraft] = useState<NewRule>();
  const read = (): void => setDraft(draftOf(valuesIn(fields.current!)));
  useEffect(read, []);
  const add = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const body = { ...newRuleOf(values, expiryOf(values)), conflict_resolution: mode };
    const { action, rule, warnings } = await post("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules", {
      params: { path: { ruleset_id: rulesetId } },
      body,
    });
    onClose();
    if (action === "skipped") return notify(`${rule.ip} already exists and was left unchanged.`);
    const done = action === "created" ? `${rule.ip} added.` : `${rule.ip} already existed and was updated.`;
    await announceChange(done + collateralText(warnings));
  };
  return (
    <Dialog title="Add a rule" onClose={onClose} wide>
      <Form onSubmit={add} onCancel={onClose} submit="Add rule">
        <div class="add-rule">
          <div ref={fields} class="form" onInput={read} onChange={() => setTimeout(read)}>
            <Field
              name="ip"
              label="Address or prefix"
              defaultValue={ip}
              placeholder="203.0.113.7 or 2001:db8::/32"
              class="mono"
              autocomplete="off"
              autofocus
              required
            />
            <Field name="name" label="Name" optional maxLength={255} autocomplete="off" />
            <ExpiryFields />
          </div>
          <ConflictModes value={mode} onChange={setMode} />
        </div>
        <LivePreview rulesetId={rulesetId} draft={draft} mode={mode} />
      </Form>
    </Dialog>
  );
}

/** The controls' values by their names, as a form would send them. */
function valuesIn(element: HTMLElement): Record<string, string> {
  const inputs = [...element.querySelectorAll<HTMLInputElement>("input[name]")];
  return Object.fromEntries(
    inputs.filter(({ type, checked }) => type !== "radio" || checked).map(({ name, value }) => [name, value]),
  );
}

/** Undefined while there is nothing to report. */
function draftOf(values: Readonly<Record<string, string>>): NewRule | undefined {
  if (values["ip"]?.trim() === "") return undefined;
  try {
    return newRuleOf(values, expiryOf(values));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function newRuleOf({ ip = "", name = "" }: Readonly<Record<string, string>>, expiry: Expiry): NewRule {
  return {
    ip: ip.trim(),
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(expiry.expires_at === null ? {} : expiry),
  };
}

/** Milliseconds after the last key press until the server is asked. */
const REST = 180;

function LivePreview({
  rulesetId,
  draft,
  mode,
}: {
  readonly rulesetId: string;
  readonly draft: NewRule | undefined;
  readonly mode: ConflictMode;
}) {
  const { data, problem, isLoading } = useLoad(
    async (signal) => {
      if (draft === undefined) return null;
      await rest(REST, signal);
      return (await previewRule(rulesetId, draft, mode, signal)).lines[0] ?? null;
    },
    [rulesetId, JSON.stringify(draft), mode],
  );
  return (
    <div class={isLoading ? "preview busy" : "preview"} role="status" aria-live="polite" aria-busy={isLoading}>
      {draft === undefined ? (
        <p class="muted">Type an address to see what will happen.</p>
      ) : problem !== undefined ? (
        <VerdictCard line={{ line: 1, ip: draft.ip, verdict: "error", message: textOf(problem) }} />
      ) : data ? (
        <VerdictCard line={data} />
      ) : (
        <p class="muted">Checking…</p>
      )}
    </div>
  );
}

function textOf({ fields, message }: Problem): string {
  const messages = Object.values(fields).flat();
  return messages.length === 0 ? message : messages.join("; ");
}
