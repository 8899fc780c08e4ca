import type { components } from "./_operations.ts";

export type { paths } from "./_operations.ts";

/** The schemas that the server sends, by their names in its document. */
type Schemas = components["schemas"];
export type Session = Schemas["Session"];
export type Role = Session["user"]["role"];
export type Area = Session["plans"][number]["area"];
export type User = Schemas["User"];
export type Invitation = Schemas["InvitedUser"]["invitation"];
export type ApiKey = Schemas["Key"];
export type Change = Schemas["AuditEntry"];
export type UndoableChange = Schemas["UndoableChange"];
export type Usage = Schemas["Usage"];
export type Ruleset = Schemas["Ruleset"];
export type Rule = Schemas["Rule"];
export type ShrinkProblem = Schemas["ShrinksTooMuchProblem"];
export type RuleRow = Schemas["RuleRow"];
export type Preview = Schemas["RulePreview"];
export type PreviewLine = Preview["lines"][number];
export type Verdict = PreviewLine["verdict"];
export type Lookup = Schemas["Lookup"];
export type RulesetMatch = Lookup["rulesets"][number];
export type CoveringRule = RulesetMatch["covering"][number];
export type CatalogueSource = Schemas["CatalogueSource"];
export type CatalogueAbout = Schemas["Catalogue"];
export type CatalogueUpdate = Schemas["CatalogueUpdate"];
export type LastCatalogueUpdate = Schemas["LastCatalogueUpdate"];
export type ThreatDataset = Schemas["ThreatDataset"];
export type LastFeedImport = Schemas["LastFeedImport"];
export type CatalogueLayer = Schemas["CatalogueLayer"];
export type Deployment = Schemas["Deployment"];
export type DeploymentSource = Schemas["DeploymentSource"];
export type DeploymentPreview = Schemas["DeploymentPreview"];
export type DeploymentUrls = Schemas["DeploymentUrls"];
export type ExternalList = Schemas["ExternalList"];
export type PullList = Schemas["PullList"];
export type Identification = Schemas["Identification"];
