import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";
import type { PageProps } from "./components/page.tsx";
import type { Role } from "./documents.ts";
import { lazyPage } from "./lazy-page.tsx";
import Account from "./pages/account.tsx";
import Audit from "./pages/audit.tsx";
import Catalogue from "./pages/catalogue.tsx";
import Identification from "./pages/identification.tsx";
import Identify from "./pages/identify.tsx";
import Join from "./pages/join.tsx";
import Keys from "./pages/keys.tsx";
import Lookup from "./pages/lookup.tsx";
import Overview from "./pages/overview.tsx";
import OneRuleset from "./pages/ruleset.tsx";
import Rulesets from "./pages/rulesets.tsx";
import Setup from "./pages/setup.tsx";
import Threats from "./pages/threats.tsx";
import Usage from "./pages/usage.tsx";
import Users from "./pages/users.tsx";

const listPages = () => import("./pages/list-pages.ts");
const followerPages = () => import("./pages/follower-pages.ts");
const CompactRules = lazyPage(async () => (await listPages()).PAGES.CompactRules);
const CompareLists = lazyPage(async () => (await listPages()).PAGES.CompareLists);
const Deployment = lazyPage(async () => (await listPages()).PAGES.Deployment);
const Deployments = lazyPage(async () => (await listPages()).PAGES.Deployments);
const EditDeployment = lazyPage(async () => (await listPages()).PAGES.EditDeployment);
const ExternalListPage = lazyPage(async () => (await listPages()).PAGES.ExternalListPage);
const ExternalLists = lazyPage(async () => (await listPages()).PAGES.ExternalLists);
const ImportRules = lazyPage(async () => (await listPages()).PAGES.ImportRules);
const Network = lazyPage(async () => (await listPages()).PAGES.Network);
const SearchThreats = lazyPage(async () => (await listPages()).PAGES.SearchThreats);
const OneWebhook = lazyPage(async () => (await followerPages()).PAGES.OneWebhook);
const TaxiiClients = lazyPage(async () => (await followerPages()).PAGES.TaxiiClients);
const Webhooks = lazyPage(async () => (await followerPages()).PAGES.Webhooks);

export interface Route {
  /** For example `/rulesets/:ruleset_id`. */
  readonly path: string;
  readonly view: ComponentType<PageProps>;
  /** Its name in the navigation, if it is there. */
  readonly label?: string;
  readonly icon?: IconName;
  readonly group?: "addresses" | "organisation";
  /** Who may see it; by default, every signed-in user. */
  readonly needs?: Role;
}

/** All pages for signed-in users, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", view: Overview, label: "Overview", icon: "overview", group: "addresses" },
  { path: "/lookup", view: Lookup, label: "Lookup", icon: "search", group: "addresses" },
  { path: "/rulesets", view: Rulesets, label: "Rulesets", icon: "rulesets", group: "addresses" },
  { path: "/rulesets/:ruleset_id", view: OneRuleset },
  { path: "/rulesets/:ruleset_id/import", view: ImportRules, needs: "editor" },
  { path: "/rulesets/:ruleset_id/compact", view: CompactRules, needs: "editor" },
  { path: "/deployments", view: Deployments, label: "Deployments", icon: "download", group: "addresses" },
  { path: "/deployments/new", view: EditDeployment, needs: "editor" },
  { path: "/deployments/:deployment_id", view: Deployment },
  { path: "/deployments/:deployment_id/edit", view: EditDeployment, needs: "editor" },
  { path: "/lists", view: ExternalLists, label: "External lists", icon: "upload", group: "addresses" },
  { path: "/lists/:list_id", view: ExternalListPage },
  { path: "/compare", view: CompareLists, label: "Compare lists", icon: "copy", group: "addresses" },
  { path: "/catalogue", view: Catalogue, label: "Catalogue", icon: "catalogue", group: "addresses" },
  { path: "/networks/:asn", view: Network },
  { path: "/threats", view: Threats, label: "Threat intelligence", icon: "warning", group: "addresses" },
  { path: "/threats/search", view: SearchThreats },
  { path: "/identify", view: Identify, label: "Identify a log", icon: "identify", group: "addresses" },
  { path: "/identify/:identification_id", view: Identification },
  { path: "/keys", view: Keys, label: "Keys", icon: "key", group: "organisation" },
  { path: "/webhooks", view: Webhooks, label: "Webhooks", icon: "send", group: "organisation", needs: "admin" },
  { path: "/webhooks/:webhook_id", view: OneWebhook, needs: "admin" },
  { path: "/taxii", view: TaxiiClients, label: "TAXII clients", icon: "download", group: "organisation" },
  { path: "/users", view: Users, label: "Users", icon: "users", group: "organisation", needs: "admin" },
  { path: "/audit", view: Audit, label: "Audit log", icon: "audit", group: "organisation", needs: "admin" },
  { path: "/usage", view: Usage, label: "Usage", icon: "usage", group: "organisation" },
  { path: "/account", view: Account },
];

/** Pages for users who are not signed in; they exist for signed-in users, too. */
export const OPEN_ROUTES: readonly Route[] = [
  { path: "/setup", view: Setup },
  { path: "/join", view: Join },
];
