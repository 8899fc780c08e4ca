import type { AnnouncementCommand, CommandKind } from "../../store/command.ts";
import type { AuditedCredential } from "../../store/records/credential.ts";

/** What servers do on their own every few seconds: the audit log leaves it out. */
type ByServers =
  | "publish-list"
  | "refuse-list"
  | "expire-rules"
  | "claim-fetch"
  | "finish-fetch"
  | AnnouncementCommand["kind"];

/** The audit log has had these names since each kind of credential had commands of its own. */
type OfCredentials = `${"create" | "revoke"}-${AuditedCredential}`;

/** What a command does, in the words of the dashboard's buttons, for the audit log wherever it is shown. */
export const AUDIT_ACTIONS = {
  "add-rule": "Add rule",
  "update-rule": "Edit rule",
  "delete-rule": "Delete rule",
  "batch-rules": "Change several rules",
  "import-rules": "Import rules",
  "replace-rules": "Replace all rules",
  "restore-rules": "Undo a change of rules",
  "create-ruleset": "Create ruleset",
  "update-ruleset": "Edit ruleset",
  "delete-ruleset": "Delete ruleset",
  "restore-ruleset": "Undo deleting a ruleset",
  "create-key": "Create key",
  "revoke-key": "Revoke key",
  "create-user": "Invite user",
  "invite-user": "Invite user again",
  join: "Accept invitation",
  "set-role": "Change role",
  "delete-user": "Remove user",
  "start-session": "Sign in",
  "end-session": "Sign out",
  "set-password": "Change password",
  "create-organisation": "Create organisation",
  "set-up": "Set up",
  "set-guard-classes": "Change what guards protect",
  "set-plan": "Change plan",
  "create-deployment": "Create deployment",
  "update-deployment": "Edit deployment",
  "delete-deployment": "Delete deployment",
  "rotate-deployment": "Rotate credentials",
  "create-credential": "Create credential of a deployment",
  "revoke-credential": "Revoke credential of a deployment",
  "create-taxii-credential": "Create TAXII credential",
  "revoke-taxii-credential": "Revoke TAXII credential",
  "release-list": "Release a refused list",
  "create-list": "Create external list",
  "update-list": "Edit external list",
  "delete-list": "Delete external list",
  "set-list-credentials": "Change credentials of an external list",
  "create-webhook": "Create webhook endpoint",
  "update-webhook": "Edit webhook endpoint",
  "delete-webhook": "Delete webhook endpoint",
  "rotate-webhook": "Replace webhook secret",
  "stop-webhook": "Stop webhook endpoint",
  "update-catalogue": "Update catalogue",
  "import-feed": "Import threat feed",
} as const satisfies Readonly<Record<Exclude<CommandKind, ByServers> | OfCredentials, string>>;

export const AUDITED_COMMANDS = Object.keys(AUDIT_ACTIONS);

/** The words for a kind of command; for changes older than these words, the kind of the change. */
export function actionOf(kind: string): string {
  if (Object.hasOwn(AUDIT_ACTIONS, kind)) return AUDIT_ACTIONS[kind as keyof typeof AUDIT_ACTIONS];
  return `Change ${kind.replaceAll("-", " ")}`;
}
