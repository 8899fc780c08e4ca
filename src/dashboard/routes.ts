import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";
import type { PageProps } from "./components/page.tsx";
import type { Role } from "./documents.ts";

export interface Route {
  /** As `/rulesets/:ruleset_id`. */
  readonly path: string;
  readonly load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** Its name in the navigation, for those that stand there. */
  readonly label?: string;
  readonly icon?: IconName;
  readonly group?: "addresses" | "organisation";
  /** Who may see it; everybody who is signed in unless it says. */
  readonly needs?: Role;
}

/** All pages for those who are signed in, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: "/", load: () => import("./pages/overview.tsx"), label: "Overview", icon: "overview", group: "addresses" },
  { path: "/lookup", load: () => import("./pages/lookup.tsx"), label: "Lookup", icon: "search", group: "addresses" },
  { path: "/rulesets", load: () => import("./pages/rulesets.tsx"), label: "Rulesets", icon: "rulesets", group: "addresses" },
  { path: "/rulesets/:ruleset_id", load: () => import("./pages/ruleset.tsx") },
  { path: "/rulesets/:ruleset_id/import", load: () => import("./pages/import-rules.tsx"), needs: "editor" },
  { path: "/catalogue", load: () => import("./pages/catalogue.tsx"), label: "Catalogue", icon: "catalogue", group: "addresses" },
  { path: "/identify", load: () => import("./pages/identify.tsx"), label: "Identify a log", icon: "identify", group: "addresses" },
  { path: "/identify/:identification_id", load: () => import("./pages/identification.tsx") },
  { path: "/keys", load: () => import("./pages/keys.tsx"), label: "Keys", icon: "key", group: "organisation" },
  { path: "/users", load: () => import("./pages/users.tsx"), label: "Users", icon: "users", group: "organisation", needs: "admin" },
  { path: "/audit", load: () => import("./pages/audit.tsx"), label: "Audit log", icon: "audit", group: "organisation", needs: "admin" },
  { path: "/usage", load: () => import("./pages/usage.tsx"), label: "Usage", icon: "usage", group: "organisation" },
  { path: "/account", load: () => import("./pages/account.tsx") },
];

/** Pages for those who are not signed in; they stand whether somebody is or not. */
export const OPEN_ROUTES: readonly Route[] = [
  { path: "/setup", load: () => import("./pages/setup.tsx") },
  { path: "/join", load: () => import("./pages/join.tsx") },
];
