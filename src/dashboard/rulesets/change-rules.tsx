import { put, remove } from "../api.ts";
import { confirm } from "../components/confirm.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form } from "../components/form.tsx";
import { formatCounted } from "../format.ts";
import type { RuleRow } from "../documents.ts";
import { Problem } from "../problem.ts";
import { collateralText } from "./collateral.ts";
import { ExpiryFields, expiryOf, expiryTime } from "./expiry.tsx";
import { RuleText } from "./rule-state.tsx";
import type { RuleFilter } from "./rule-filter.ts";
import { changeMatching, deleteRules, setExpiry } from "./rules-api.ts";
import { revision, announceChange } from "./undo.ts";

interface Props {
  readonly rulesetId: string;
  readonly onClose: () => void;
}

/** Name and expiry of a rule; only changes are sent. */
export function EditRule({ rulesetId, rule, onClose }: Props & { readonly rule: RuleRow }) {
  const edit = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const expiry = expiryOf(values);
    const name = values["name"]!.trim() === "" ? null : values["name"]!.trim();
    // The field has no seconds: those of an unchanged expiry stay.
    const isSame =
      expiry.expires_in_days === undefined && minuteOf(expiry.expires_at ?? null) === minuteOf(rule.expires_at);
    const body = { ...(name === (rule.name === "" ? null : rule.name) ? {} : { name }), ...(isSame ? {} : expiry) };
    if (Object.keys(body).length === 0) return onClose();
    const { warnings } = await put("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules/rule", {
      params: { path: { ruleset_id: rulesetId }, query: { ip: rule.ip } },
      body,
    });
    onClose();
    await announceChange(`${rule.ip} saved.${collateralText(warnings)}`);
  };
  return (
    <Dialog title={`Edit ${rule.ip}`} onClose={onClose}>
      <Form onSubmit={edit} onCancel={onClose} submit="Save">
        <Field
          name="name"
          label="Name"
          optional
          defaultValue={rule.name ?? ""}
          maxLength={255}
          autocomplete="off"
          autofocus
        />
        <ExpiryFields expiresAt={rule.expires_at} />
      </Form>
    </Dialog>
  );
}

function minuteOf(at: string | null): number | null {
  return at === null ? null : Math.floor(Date.parse(at) / 60_000);
}

/** Asks, and deletes all of the rules. */
export function askToDelete(rulesetId: string, rules: readonly RuleRow[]): void {
  const [first] = rules;
  const isOne = rules.length === 1 && first !== undefined;
  const counted = formatCounted(rules.length, "rule");
  confirm({
    title: isOne ? "Delete this rule?" : `Delete ${counted}?`,
    text: isOne ? (
      <p>
        <RuleText rule={first} />
      </p>
    ) : (
      <>
        <p>Rules that no longer exist are skipped.</p>
        <ul>
          {rules.slice(0, 5).map((rule) => (
            <li key={rule.ip}>
              <RuleText rule={rule} />
            </li>
          ))}
          {rules.length > 5 && <li class="muted">and {formatCounted(rules.length - 5, "more", "more")}</li>}
        </ul>
      </>
    ),
    action: isOne ? "Delete the rule" : `Delete ${counted}`,
    danger: true,
    run: async () => {
      if (isOne)
        await remove("/dashboard/api/edl/ip-rulesets/{ruleset_id}/rules/rule", {
          params: { path: { ruleset_id: rulesetId }, query: { ip: first.ip } },
        });
      else await deleteRules(rulesetId, rules);
      void announceChange(isOne ? `${first.ip} deleted.` : `${counted} deleted.`);
    },
  });
}

/** All rules that match a filter, as they were shown. */
export interface WholeSelection {
  readonly filter: RuleFilter;
  readonly count: number;
}

/** Asks, and deletes all rules that match the filter, or none. */
export function askToDeleteMatching(rulesetId: string, { filter, count }: WholeSelection, tag: string): void {
  const counted = formatCounted(count, "rule");
  confirm({
    title: `Delete ${counted}?`,
    text: <p>All listed rules are deleted, or none if the ruleset has changed since they were loaded.</p>,
    action: `Delete ${counted}`,
    danger: true,
    run: async () => {
      await changeMatching(rulesetId, filter, { action: "delete" }, count, tag).catch(changedMeanwhile);
      void announceChange(`${counted} deleted.`);
    },
  });
}

/** The message if another user was faster. */
function changedMeanwhile(error: unknown): never {
  if (!(error instanceof Problem) || error.status !== 412) throw error;
  revision.value++;
  throw new Problem(412, {
    title: "The rules have changed",
    detail:
      "Another user or program has changed the ruleset since these rules were selected. The list has been refreshed: select them again.",
  });
}

/** Sets the expiry of many rules, all or none. */
export function SetExpiry({
  rulesetId,
  rules,
  tag,
  onClose,
}: Props & { readonly rules: readonly RuleRow[] | WholeSelection; readonly tag: string }) {
  const counted = formatCounted("count" in rules ? rules.count : rules.length, "rule");
  const set = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const expiresAt = expiryTime(expiryOf(values));
    const setting =
      "count" in rules
        ? changeMatching(rulesetId, rules.filter, { action: "set_expiry", expires_at: expiresAt }, rules.count, tag)
        : setExpiry(rulesetId, rules, expiresAt, tag);
    const { warnings } = await setting.catch(changedMeanwhile);
    onClose();
    await announceChange(`Expiry of ${counted} set.${collateralText(warnings)}`);
  };
  return (
    <Dialog title={`Expiry of ${counted}`} onClose={onClose}>
      <Form onSubmit={set} onCancel={onClose} submit="Set expiry">
        <ExpiryFields />
      </Form>
    </Dialog>
  );
}
