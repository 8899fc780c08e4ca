import type { Format } from "../formats.ts";

/** What a recipe needs to know of a deployment. */
export interface RecipeContext {
  /** The URL of the whole list; undefined where a format has one file per family. */
  readonly url: string | undefined;
  readonly url4: string;
  readonly url6: string;
  /** The name of the set, chain or list in the file. */
  readonly set: string;
  readonly minutes: number;
  readonly allows: boolean;
}

/** What to paste, and where. */
export interface Step {
  readonly where: string;
  readonly text: string;
}

/** How to use a list: the steps in their order. */
export type Recipe = readonly Step[];

const CRONTAB = "/etc/cron.d/ipsieve";
/** Cron's default lacks the folders of programs for administrators, which most of these commands are. */
const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const AT_BOOT = "In a shell, and in the script that loads your firewall's rules at boot";

/** The words with which a firewall drops, or accepts. */
function verdict({ allows }: RecipeContext, block: string, allow: string): string {
  return allows ? allow : block;
}

/** A crontab that runs a command as often as the deployment says. */
function renewed({ minutes }: RecipeContext, command: string): Step {
  const when =
    minutes < 60 ? `*/${minutes} * * * *` : minutes < 1440 ? `7 */${Math.round(minutes / 60)} * * *` : "7 3 * * *";
  return { where: `In ${CRONTAB}, to renew the list`, text: `${PATH}\n${when} root ${command}\n` };
}

/** Replaces a file only with a whole one: a program that reads the download itself would load an incomplete one. */
function saved(url: string, path: string): string {
  return `curl -fsS '${url}' -o ${path}.new && mv ${path}.new ${path}`;
}

/** A file that is saved, named in the configuration of the program, and renewed; without `reload` it notices changes. */
function file(where: string, path: string, reload: string, text: (context: RecipeContext) => string) {
  return (context: RecipeContext): Recipe => {
    const save = saved(context.url!, path);
    return [
      shell(save),
      { where, text: text(context) },
      ...(reload === "" ? [] : [shell(reload)]),
      renewed(context, reload === "" ? save : `${save} && ${reload}`),
    ];
  };
}

/** A list that a command loads, what enforces it, and how it is renewed. */
function loaded(context: RecipeContext, load: string, enforce: readonly string[]): Recipe {
  return [{ where: AT_BOOT, text: [load, ...enforce].join("\n") }, renewed(context, load)];
}

/** A list that the user's own program fetches. */
function fetched(path: string, how: string) {
  return ({ url }: RecipeContext): Recipe => [shell(`${saved(url!, path)}\n${how}`)];
}

function shell(text: string): Step {
  return { where: "In a shell", text };
}

const MENUS = "In its menus";

/** One recipe per format, with real URLs; which device a deployment is for makes no difference to it. */
const RECIPES: Readonly<Record<Format, (context: RecipeContext) => Recipe>> = {
  text: fetched("list.txt", "head list.txt"),
  csv: fetched("list.csv", "head list.csv"),
  ndjson: fetched("list.ndjson", "head -n 3 list.ndjson"),
  mmdb: fetched("list.mmdb", "mmdblookup --file list.mmdb --ip 192.0.2.1"),
  json: fetched("list.json", "jq length list.json"),
  "ranges-csv": fetched("ranges.csv", `duckdb -c "SELECT count(*) FROM 'ranges.csv'"`),
  apache: file("In the site", "/etc/apache2/ipsieve.conf", "apachectl graceful", () =>
    [
      "<Location />",
      "  <RequireAll>",
      "    Require all granted",
      "    Include /etc/apache2/ipsieve.conf",
      "  </RequireAll>",
      "</Location>",
    ].join("\n"),
  ),
  "aws-prefix-list": ({ url4, set }) => [
    {
      where: "In a shell, for IPv4; repeat with the IPv6 URL",
      text: `${saved(url4, "list.json")}\naws ec2 create-managed-prefix-list --prefix-list-name ${set} \\\n  --address-family IPv4 --max-entries 1000 --entries file://list.json`,
    },
  ],
  "aws-waf": ({ url4, set }) => [
    {
      where: "In a shell, for IPv4; repeat with the IPv6 URL",
      text: `${saved(url4, "list.json")}\naws wafv2 update-ip-set --name ${set} --scope REGIONAL --id ID \\\n  --lock-token TOKEN --addresses file://list.json`,
    },
  ],
  "azure-ip-group": ({ url, set }) => [
    {
      where: "In a shell",
      text: `az network ip-group update --resource-group GROUP --name ${set} \\\n  --ip-addresses $(curl -fsS '${url}' | jq -r '.[]')`,
    },
  ],
  bird: file("In bird.conf", "/etc/bird/ipsieve.conf", "birdc configure", () => 'include "/etc/bird/ipsieve.conf";'),
  caddy: file("In the site of the Caddyfile", "/etc/caddy/ipsieve.caddy", "systemctl reload caddy", (context) =>
    verdict(
      context,
      `import ipsieve.caddy\nrespond @${context.set} 403`,
      `import ipsieve.caddy\nhandle @${context.set} {\n  # the directives of the site\n}\nhandle {\n  respond 403\n}`,
    ),
  ),
  checkpoint: ({ url, set }) => [
    {
      where: "On the Security Gateway, in expert mode",
      text: `ioc_feeds add --feed_name ${set} --transport https --resource "${url}"\nioc_feeds show`,
    },
  ],
  cilium: (context) =>
    loaded(context, `${saved(context.url!, "/var/lib/ipsieve.yaml")} && kubectl apply -f /var/lib/ipsieve.yaml`, [
      "# a policy names the group in cidrGroupRef",
    ]),
  cisco: ({ url, minutes, allows }) => [
    {
      where: `${MENUS} (Firewall Management Center): Objects > Security Intelligence > Network Lists and Feeds > Add`,
      text: `Type:             Feed\nFeed URL:         ${url}\nMD5 URL:          ${url}.md5\nUpdate frequency: ${Math.max(5, minutes)} minutes\n\nThen: Policies > Access Control > Security Intelligence > Networks > ${allows ? "Do Not Block" : "Block"} list`,
    },
  ],
  "cloudflare-list": ({ url }) => [
    {
      where: "In a shell",
      text: `curl -fsS '${url}' | curl -fsS -X PUT -d @- \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  https://api.cloudflare.com/client/v4/accounts/ACCOUNT/rules/lists/LIST/items`,
    },
  ],
  "crowdsec-csv": (context) =>
    loaded(
      context,
      `${saved(context.url!, "/var/lib/ipsieve.csv")} && cscli decisions import -i /var/lib/ipsieve.csv`,
      [],
    ),
  dnsbl: file(
    "In a shell; rbldnsd loads new files by itself",
    "/var/lib/rbldns/ipsieve",
    "",
    () => "rbldnsd -b 127.0.0.1/5353 dnsbl.example:combined:/var/lib/rbldns/ipsieve",
  ),
  envoy: file(
    "In http_filters of envoy.yaml; the file is a filter",
    "/etc/envoy/ipsieve.yaml",
    "systemctl reload envoy",
    () => "# what /etc/envoy/ipsieve.yaml holds goes here, before envoy.filters.http.router",
  ),
  "exabgp-flowspec": (context) => [
    { where: "In /etc/exabgp/ipsieve.sh", text: announcements(context) },
    { where: "In exabgp.conf", text: `process ipsieve {\n  run /bin/sh /etc/exabgp/ipsieve.sh;\n  encoder text;\n}` },
  ],
  f5: ({ url, set, minutes }) => [
    {
      where: "In a shell of the BIG-IP",
      text: `tmsh create security ip-intelligence feed-list ${set} feeds add { ${set} { poll { url "${url}" interval ${minutes * 60} } } }\ntmsh create security ip-intelligence policy ${set} feed-lists add { ${set} } default-action drop`,
    },
  ],
  firewalld: (context) => [
    shell(
      [
        "firewall-cmd --permanent --new-ipset=ipsieve --type=hash:net",
        `firewall-cmd --permanent --zone=${verdict(context, "drop", "trusted")} --add-source=ipset:ipsieve`,
        "firewall-cmd --reload",
      ].join("\n"),
    ),
    {
      where: "In /usr/local/sbin/ipsieve-renew; make it executable and run it",
      text: renewalOfFirewalld(context.url4),
    },
    renewed(context, "ipsieve-renew"),
  ],
  fortinet: ({ url, set, minutes, allows }) => [
    {
      where: "In the FortiGate's command line",
      text: `config system external-resource\n  edit "${set}"\n    set type address\n    set resource "${url}"\n    set refresh-rate ${minutes}\n  next\nend\nconfig firewall policy\n  edit 0\n    set name "${set}"\n    set srcintf "any"\n    set dstintf "any"\n    set srcaddr "${set}"\n    set dstaddr "all"\n    set action ${allows ? "accept" : "deny"}\n    set schedule "always"\n    set service "ALL"\n  next\nend`,
    },
  ],
  "gcp-address-group": ({ url4, set }) => [
    {
      where: "In a shell, for IPv4; repeat with the IPv6 URL",
      text: `curl -fsS '${url4}' | curl -fsS -X PATCH -d @- \\\n  -H "Authorization: Bearer $(gcloud auth print-access-token)" -H "Content-Type: application/json" \\\n  "https://networksecurity.googleapis.com/v1/projects/PROJECT/locations/global/addressGroups/${set.toLowerCase().replaceAll("_", "-")}?updateMask=items"`,
    },
  ],
  haproxy: file(
    "In the frontend",
    "/etc/haproxy/ipsieve.acl",
    "systemctl reload haproxy",
    (context) =>
      `acl listed src -f /etc/haproxy/ipsieve.acl\nhttp-request deny ${verdict(context, "if", "unless")} listed`,
  ),
  ipset: (context) =>
    loaded(context, `${saved(context.url!, "/var/lib/ipsieve.ipset")} && ipset restore -f /var/lib/ipsieve.ipset`, [
      `iptables -I INPUT -m set --match-set ${context.set}_4 src -j ${verdict(context, "DROP", "ACCEPT")}`,
      `ip6tables -I INPUT -m set --match-set ${context.set}_6 src -j ${verdict(context, "DROP", "ACCEPT")}`,
    ]),
  iptables: (context) =>
    loaded(
      context,
      `${saved(context.url!, "/var/lib/ipsieve.rules")} && iptables-restore --noflush /var/lib/ipsieve.rules && ip6tables-restore --noflush /var/lib/ipsieve.rules`,
      [`iptables -I INPUT -j ${context.set}`, `ip6tables -I INPUT -j ${context.set}`],
    ),
  juniper: ({ url, set, minutes }) => {
    const { origin, pathname } = new URL(url!);
    return [
      {
        where: "In configuration mode",
        text: `set security dynamic-address feed-server ${set} url ${origin}\nset security dynamic-address feed-server ${set} update-interval ${minutes * 60}\nset security dynamic-address feed-server ${set} feed-name ${set} path ${pathname}\nset security dynamic-address address-name ${set} profile feed-name ${set}`,
      },
    ];
  },
  kubernetes: (context) =>
    loaded(
      context,
      `${saved(context.url!, "/var/lib/ipsieve.yaml")} && kubectl apply -n NAMESPACE -f /var/lib/ipsieve.yaml`,
      [],
    ),
  misp: ({ url }) => [
    {
      where: `${MENUS}: Sync Actions > Feeds > Add Feed`,
      text: `Enabled:       yes\nInput source:  Network\nURL:           ${url!.slice(0, url!.lastIndexOf("/"))}\nSource format: MISP Feed\n\nWhat it finds there: curl -fsS '${url}'`,
    },
  ],
  mikrotik: (context) => [
    {
      where: "In the router's terminal",
      text: `/system scheduler add name=${context.set} interval=${context.minutes}m on-event="/tool fetch url=\\"${context.url}\\" dst-path=${context.set}.rsc; /import ${context.set}.rsc"\n/ip firewall raw add chain=prerouting src-address-list=${context.set} action=${verdict(context, "drop", "accept")}\n/ipv6 firewall raw add chain=prerouting src-address-list=${context.set} action=${verdict(context, "drop", "accept")}`,
    },
  ],
  nftables: (context) =>
    loaded(context, `${saved(context.url!, "/var/lib/ipsieve.nft")} && nft -f /var/lib/ipsieve.nft`, [
      "nft add chain inet ipsieve input '{ type filter hook input priority -10; }'",
      `nft add rule inet ipsieve input ip saddr @${context.set}_4 ${verdict(context, "drop", "accept")}`,
      `nft add rule inet ipsieve input ip6 saddr @${context.set}_6 ${verdict(context, "drop", "accept")}`,
    ]),
  nginx: file(
    "In nginx.conf",
    "/etc/nginx/ipsieve.conf",
    "nginx -s reload",
    (context) =>
      `# in http { }\ngeo $listed { default 0; include /etc/nginx/ipsieve.conf; }\n# in server { }\nif ($listed = ${verdict(context, "1", "0")}) { return 403; }`,
  ),
  ntop: ({ url }) => [
    {
      where: "In httpdocs/misc/lists/custom/ipsieve.list of ntopng",
      text: JSON.stringify({
        name: "ipsieve",
        url,
        category: "malware",
        format: "ip",
        enabled: true,
        update_interval: 3600,
      }),
    },
  ],
  opnsense: ({ url, allows }) => [
    {
      where: `${MENUS}: Firewall > Aliases > Add`,
      text: `Type:              URL Table (IPs)\nRefresh frequency: 0 days, 1 hour\nContent:           ${url}\n\nThen: Firewall > Rules > WAN > Add: ${allows ? "Pass" : "Block"}, with the alias as the source`,
    },
  ],
  paloalto: (context) => [
    {
      where: "In configuration mode",
      text: `set external-list ${context.set} type ip url ${context.url}\nset external-list ${context.set} type ip recurring ${context.minutes < 60 ? "five-minute" : "hourly"}\nset rulebase security rules ${context.set} from any to any source ${context.set} destination any application any service any action ${verdict(context, "deny", "allow")}\ncommit`,
    },
  ],
  pfsense: ({ url, allows }) => [
    {
      where: `${MENUS}: Firewall > Aliases > URLs > Add`,
      text: `Type:             URL Table (IPs)\nURL Table (IPs):  ${url}\nUpdate frequency: 1 day (more often: a cron job for /etc/rc.update_urltables now forceupdate)\n\nThen: Firewall > Rules > WAN > Add: ${allows ? "Pass" : "Block"}, with the alias as the source`,
    },
  ],
  postfix: file(
    "In main.cf",
    "/etc/postfix/ipsieve.cidr",
    "postfix reload",
    () => "smtpd_client_restrictions = check_client_access cidr:/etc/postfix/ipsieve.cidr",
  ),
  rpz: ({ url }) => [
    {
      where: "In unbound.conf; Unbound fetches the list itself",
      text: `server:\n  module-config: "respip validator iterator"\nrpz:\n  name: ipsieve.rpz\n  url: ${url}\n  zonefile: /var/lib/unbound/ipsieve.rpz`,
    },
  ],
  rspamd: (context) => [
    {
      where: "In local.d/multimap.conf; Rspamd fetches the list itself",
      text: `IPSIEVE {\n  type = "ip";\n  map = "${context.url}";\n  score = ${verdict(context, "5", "-5")};\n}`,
    },
  ],
  sonicwall: ({ url, minutes, allows }) => [
    {
      where: `${MENUS}: Object > Match Objects > Dynamic Group > Add`,
      text: `Type:     Address group\nProtocol: HTTPS\nURL:      ${url}\nInterval: ${minutes <= 5 ? "5 minutes" : minutes < 60 ? "15 minutes" : minutes < 1440 ? "1 hour" : "24 hours"}\n\nThen: Policy > Access Rules > Add: ${allows ? "Allow" : "Deny"}, with the group as the source`,
    },
  ],
  sophos: ({ url }) => [
    {
      where: `${MENUS}: Active threat response > Third-party threat feeds > Add`,
      text: `Indicator type: IPv4 address\nExternal URL:   ${url}\nAction:         Log and drop`,
    },
  ],
  squid: file(
    "In squid.conf before other http_access lines",
    "/etc/squid/ipsieve.acl",
    "squid -k reconfigure",
    (context) => `acl listed src "/etc/squid/ipsieve.acl"\nhttp_access deny ${verdict(context, "", "!")}listed`,
  ),
  "suricata-iprep": (context) => {
    const folder = "/etc/suricata/iprep";
    const [save, reload] = [saved(context.url!, `${folder}/ipsieve.list`), "suricatasc -c ruleset-reload-nonblocking"];
    const yaml = [
      `reputation-categories-file: ${folder}/categories.txt`,
      `default-reputation-path: ${folder}`,
      "reputation-files: [ipsieve.list]",
    ];
    return [
      shell(save),
      { where: `In ${folder}/categories.txt`, text: "1,Listed,listed by ipsieve" },
      { where: "In suricata.yaml; then restart Suricata", text: yaml.join("\n") },
      {
        where: "In a rule file",
        text: `${verdict(context, "drop", "pass")} ip any any -> any any (msg:"listed"; iprep:src,Listed,>,100; sid:1000001;)`,
      },
      renewed(context, `${save} && ${reload}`),
    ];
  },
  trie: ({ url }) => [{ where: "In the settings of the edge component", text: `URL of the list: ${url}` }],
  traefik: file(
    "In the labels or the file of a router; Traefik watches /etc/traefik/dynamic",
    "/etc/traefik/dynamic/ipsieve.yaml",
    "",
    ({ set }) => `traefik.http.routers.ROUTER.middlewares: ${set}@file`,
  ),
  varnish: file(
    "In default.vcl",
    "/etc/varnish/ipsieve.vcl",
    "systemctl reload varnish",
    (context) =>
      `include "/etc/varnish/ipsieve.vcl";\nsub vcl_recv { if (client.ip ${verdict(context, "~", "!~")} ${context.set}) { return (synth(403)); } }`,
  ),
  "zeek-intel": file(
    "In local.zeek; then run zeekctl deploy",
    "/opt/zeek/share/ipsieve.dat",
    "",
    () => '@load frameworks/intel/seen\nredef Intel::read_files += { "/opt/zeek/share/ipsieve.dat" };',
  ),
};

/** `firewall-cmd` adds entries to a set or removes them, and has no command that replaces them all. */
function renewalOfFirewalld(url: string): string {
  const list = "/var/lib/ipsieve.txt";
  return [
    "#!/bin/sh -e",
    `touch ${list}`,
    `curl -fsS '${url}' -o ${list}.new`,
    `grep -vxFf ${list}.new ${list} > ${list}.gone || test $? = 1`,
    `firewall-cmd -q --ipset=ipsieve --add-entries-from-file=${list}.new`,
    `test ! -s ${list}.gone || firewall-cmd -q --ipset=ipsieve --remove-entries-from-file=${list}.gone`,
    `mv ${list}.new ${list}`,
  ].join("\n");
}

/** ExaBGP sends what a process prints; a route that is no longer listed has to be withdrawn. */
function announcements({ url, minutes }: RecipeContext): string {
  const list = "/run/ipsieve.routes";
  return [
    `: > ${list}`,
    "while true; do",
    `  if curl -fsS '${url}' -o ${list}.new; then`,
    `    grep -vxFf ${list}.new ${list} | sed 's/^announce/withdraw/'`,
    `    grep -vxFf ${list} ${list}.new`,
    `    mv ${list}.new ${list}`,
    "  fi",
    `  sleep ${minutes * 60}`,
    "done",
  ].join("\n");
}

/** How to use the list of a deployment in this format. */
export function recipeFor(format: Format, context: RecipeContext): Recipe {
  return RECIPES[format](context);
}
