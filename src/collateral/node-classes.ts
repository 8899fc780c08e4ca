/** The classes, in the order in which they are shown. */
export const NODE_CLASSES = ["serving", "rented", "anonymiser", "scanner", "access"] as const;

/**
 * What stands at the addresses of a node, as far as guards are concerned:
 *
 *     serving      edges of CDNs and applications, resolvers, crawlers of search engines: blocking them blocks the service
 *     rented       machines of a cloud's customers and of CI: one may be an attacker's, a network is many customers
 *     anonymiser   exits of VPNs, relays and Tor; scanner: who probes everybody. People block these on purpose
 *     access       subscribers of providers: what lists of attackers are made of
 */
export type NodeClass = (typeof NODE_CLASSES)[number];

/** Of which classes guards protect the services, unless someone decides otherwise. */
export const GUARDED_CLASSES: readonly NodeClass[] = ["serving", "rented"];

/** Each once, in the order of `NODE_CLASSES`, so that the same choice is always the same text. */
export function classesInOrder(classes: readonly NodeClass[]): NodeClass[] {
  return NODE_CLASSES.filter((each) => classes.includes(each));
}

/** In front of a service of one region. */
const BY_REGION = /\/by-region\/[^/]+\//;

/** Of nodes that differ from the one above them; below the types, the others serve. */
const CLASSES: Readonly<Record<string, NodeClass>> = {
  "/cloud": "rented",
  // In a cloud, what the provider itself answers from: one address of these serves many customers, and none of them
  // can send from it.
  ...serving("/cloud/aws", [
    "api_gateway",
    "cloudfront",
    "cloudfront_origin_facing",
    "dynamodb",
    "route53",
    "route53_healthchecks",
    "route53_healthchecks_publishing",
    "s3",
  ]),
  ...serving("/cloud/azure", [
    "azureactivedirectory",
    "azurefrontdoor.backend",
    "azurefrontdoor.firstparty",
    "azurefrontdoor.frontend",
    "azurefrontdoor.microsoftsecurity",
    "azureportal",
    "azureresourcemanager",
    "azuretrafficmanager",
    "azureupdatedelivery",
    "eopexternalpublishedips",
    "storage",
  ]),
  ...serving("/cloud/oracle", ["object_storage", "osn"]),
  // Gcore rents servers under the same AS number as its edges: Tor exits stand among them.
  "/cdn/gcore": "rented",
  "/isp": "access",
  // Their lists name whole blocks of clouds.
  "/saas/circleci": "rented",
  "/saas/github/actions": "rented",
  "/saas/github/actions_macos": "rented",
  "/saas/github/codespaces": "rented",
  "/cdn/akamai/private-relay": "anonymiser",
  "/security/apple-private-relay": "anonymiser",
  "/security/mullvad": "anonymiser",
  "/security/packethub": "anonymiser",
  "/security/tor": "anonymiser",
  "/security/windscribe": "anonymiser",
  "/bot/alpha-strike": "scanner",
  "/bot/binaryedge": "scanner",
  "/bot/censys": "scanner",
  "/bot/driftnet": "scanner",
  "/bot/internet-measurement": "scanner",
  "/bot/leakix": "scanner",
  "/bot/modat": "scanner",
  "/bot/onyphe": "scanner",
  "/bot/rapid7": "scanner",
  "/bot/securitytrails": "scanner",
  "/bot/shadowserver": "scanner",
  "/bot/shodan": "scanner",
  "/security/qualys": "scanner",
  "/security/tenable": "scanner",
};

/** The nodes of these services, which are the same in every region. */
function serving(cloud: string, services: readonly string[]): Record<string, NodeClass> {
  return Object.fromEntries(services.map((service) => [`${cloud}/by-service/${service}`, "serving"]));
}

/** The class of a node, which it has from the closest node of the table that it is or is below. O(depth) */
export function classOf(id: string): NodeClass {
  for (let path = id.replace(BY_REGION, "/by-service/"); path !== ""; path = path.slice(0, path.lastIndexOf("/"))) {
    const known = CLASSES[path];
    if (known !== undefined) return known;
  }
  return "serving";
}
