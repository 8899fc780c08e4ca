/**
 * Logs as programs write them, each with the client that its lines name. `?` stands for the client in a line, an IPv4
 * or an IPv6 address (`v6` if such a line is written in another way), and every other address in it is somebody else.
 */
export interface LogFormat {
  readonly name: string;
  /** Written before the lines. */
  readonly head?: string;
  readonly line: string;
  readonly v6?: string;
  /** Where the client is; without it, it is the first address of a line. */
  readonly field?: string | number;
  readonly file?: string;
}

const REQUEST = '"GET /a?b=1 HTTP/1.1" 200 612 "https://example.net/" "Mozilla/5.0 Chrome/120.0.0.0"';

export const LOG_FORMATS: readonly LogFormat[] = [
  { name: "nginx access", line: `? - - [27/Nov/2026:12:34:56 +0000] ${REQUEST}` },
  {
    name: "Apache access with a virtual host",
    line: `www.example.net:443 ? - frank [27/Nov/2026:12:34:56 +0000] ${REQUEST}`,
  },
  {
    name: "Apache error",
    line: "[Sat Nov 27 06:55:43.631808 2026] [php7:error] [pid 96528] [client ?:60040] script not found, referer: http://198.51.100.9/",
  },
  {
    name: "nginx error",
    line: '2026/11/27 12:34:56 [error] 1#1: *1 connect() failed, client: ?, server: _, request: "GET / HTTP/1.1", upstream: "http://10.0.0.2:80/"',
  },
  {
    name: "IIS W3C",
    head: "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status\r\n",
    line: "2026-11-27 00:00:06 10.18.21.9 GET /x - 443 - ? Mozilla/5.0 200",
    field: "c-ip",
  },
  {
    name: "W3C with strings in quotes",
    head: "#Software: SGOS\n#Fields: date time cs-username cs(User-Agent) x-virus-id c-ip cs-host\n",
    line: '2026-11-27 00:00:06 "DOMAIN\\Ann Lee" "Mozilla/5.0 (X11; ""Linux"") 10.0.0.2" "a b" ? "x y"',
    field: "c-ip",
  },
  {
    name: "a log whose fields are as in a URL",
    head: "#Fields: date x-forwarded-for s-ip\n",
    line: "2026-11-27 ?%2C%2010.0.0.1 10.0.0.2",
    v6: "2026-11-27 %5B?%5D%3A443%2C%2010.0.0.1 10.0.0.2",
    field: "x-forwarded-for",
  },
  {
    name: "HAProxy HTTP",
    line: 'Nov 14 22:45:11 lb haproxy[760]: ?:58430 [14/Nov/2026:22:45:11.608] main web/198.51.100.5 0/0/1/7/227 206 16 - - ---- 33/15/1/0/0 0/0 "GET / HTTP/1.1"',
  },
  {
    name: "AWS application load balancer",
    line: 'h2 2026-07-02T22:23:00.186641Z app/web/50dc6c ?:50718 10.0.0.1:80 0.000 0.003 0.000 401 401 29 805 "GET https://api.example:443/ HTTP/2.0" "x/1.0" - -',
  },
  {
    name: "AWS network load balancer",
    line: "tls 2.0 2026-12-20T02:59:40 net/lb/c6e77e28c25b2234 g3d4b5e8bb8464cd ?:51341 172.100.100.185:443 5 2 98 246 - arn",
  },
  {
    name: "CloudFront",
    head: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status\n",
    line: "2026-12-04\t21:02:31\tLAX1\t392\t?\tGET\td111111abcdef8.cloudfront.net\t/index.html\t200",
    field: "c-ip",
  },
  {
    name: "W3C between tabs, with a tab in a string",
    head: "#Fields: date cs(User-Agent) c-ip cs-host\n",
    line: '2026-12-04\t"x/1.0\t10.0.0.3\t(""y"")"\t?\thost',
    field: "c-ip",
  },
  {
    name: "VPC flow",
    head: "version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status\n",
    line: "2 123456789010 eni-1235b8ca 10.0.0.1 ? 20641 22 6 20 4249 1418530010 1418530070 ACCEPT OK",
    field: "dstaddr",
  },
  {
    name: "S3 access",
    line: `79a59df900b949e5 bucket [06/Feb/2026:00:00:38 +0000] ? 79a59df900b949e5 3E57 REST.GET - ${REQUEST}`,
  },
  {
    name: "Squid",
    line: "1478022187.123    145 ? TCP_MISS/200 4212 GET http://example.net/ - HIER_DIRECT/198.51.100.9 text/html",
  },
  {
    name: "Zeek conn",
    head: "#separator \\x09\n#path\tconn\n#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\n#types\ttime\tstring\taddr\tport\taddr\tport\n",
    line: "1300475167.096535\tCXWv6p3arKYeMETxOg\t10.0.0.9\t5353\t?\t443",
    field: "id.resp_h",
  },
  {
    name: "Suricata EVE",
    line: '{"timestamp":"2026-11-27T12:34:56.123456+0000","event_type":"alert","src_ip":"10.0.0.1","src_port":49160,"dest_ip":"?","alert":{"signature_id":2009582}}',
    field: "dest_ip",
  },
  {
    name: "CEF behind a syslog header",
    line: "<134>Feb 14 19:04:54 10.1.1.1 CEF:0|Vendor|Product|1.0|100|a name, with a comma|5|dst=192.0.2.9 src=? spt=1",
    field: "src",
  },
  {
    name: "LEEF",
    line: "<134>Feb 14 19:04:54 10.1.1.1 LEEF:1.0|Vendor|Product|1.0|100|\tdst=192.0.2.9\tsrc=?\tsev=5",
    field: "src",
  },
  {
    name: "logfmt",
    line: 'time="2026-11-27T12:34:56Z" level=info host=10.0.0.1 remote="?" msg="a b"',
    field: "remote",
  },
  {
    name: "netfilter",
    line: "Nov 27 12:34:56 gw kernel: IN=eth0 MAC=00:11:22:33:44:55:66:77:88:99:aa:bb:08:00 SRC=? DST=10.0.0.1 LEN=40",
  },
  { name: "sshd, RFC 3164", line: "<38>Nov 27 12:34:56 host sshd[123]: Failed password for root from ? port 22 ssh2" },
  {
    name: "sshd, RFC 5424",
    line: "<38>1 2026-11-27T12:34:56.003Z host.example sshd 123 ID47 - Failed password for invalid user a from ? port 40022 ssh2",
  },
  {
    name: "journald",
    line: '{"__REALTIME_TIMESTAMP":"1764246896000000","_HOSTNAME":"host","SYSLOG_IDENTIFIER":"sshd","MESSAGE":"Connection closed by ? port 40022 [preauth]"}',
  },
  {
    name: "Windows event",
    line: '{"event":{"code":"4625"},"message":"An account failed to log on.\\r\\n\\r\\nNetwork Information:\\r\\n\\tWorkstation Name:\\tWS1\\r\\n\\tSource Network Address:\\t?\\r\\n\\tSource Port:\\t\\t49160"}',
  },
  {
    name: "Docker around an application's JSON",
    line: '{"log":"{\\"level\\":\\"info\\",\\"msg\\":\\"from \\\\u003c?\\\\u003e\\\\tdone\\"}\\n","stream":"stdout"}',
  },
  {
    name: "PAN-OS",
    line: "Oct 30 09:46:12 fw 1,2026/10/30 09:46:12,0011C1,TRAFFIC,end,2305,2026/10/30 09:46:12,10.0.0.5,?,0.0.0.0,0.0.0.0,rule",
    field: 9,
  },
  {
    name: "Cloudflare Logpush",
    line: '{"EdgeServerIP":"198.51.100.9","ClientIP":"?","ClientRequestHost":"example.net","EdgeResponseStatus":200}',
    field: "ClientIP",
  },
  {
    name: "tcpdump",
    line: "11:29:42.550475 IP ?.43436 > 192.0.2.3.22: Flags [S], seq 2398030442, win 64240, length 0",
  },
  { name: "netstat of a BSD", line: "tcp4       0      0  ?.22        198.51.100.9.55123     ESTABLISHED" },
  {
    name: "OpenVPN",
    line: "Nov 27 12:34:56 gw openvpn[7]: TLS: Initial packet from [AF_INET]?:49922, sid=9f2c6f1b 2a",
    v6: "Nov 27 12:34:56 gw openvpn[7]: TLS: Initial packet from [AF_INET6]?:49922, sid=9f2c6f1b 2a",
  },
  { name: "dropbear", line: "Feb 11 15:23:17 dropbear[1252]: login attempt for nonexistent user from ?:60495" },
  {
    name: "dante",
    line: "Nov 27 12:34:56 (1764246896.1) danted[7]: info: pass(1): tcp/connect [: ?.51234 10.0.0.1.1080 -> 198.51.100.9.443",
  },
  { name: "Postfix", line: "Nov 27 12:34:56 mx postfix/smtpd[77]: connect from unknown[?]" },
  {
    name: "Dovecot",
    line: "Nov 27 12:34:56 mx dovecot: imap-login: Disconnected (auth failed, 1 attempts): user=<a>, method=PLAIN, rip=?, lip=10.0.0.1",
  },
  {
    name: "Received of a mail",
    line: "Received: from mail.example (mail.example [?]) by mx.example",
    v6: "Received: from mail.example (mail.example [IPv6:?]) by mx.example",
  },
  {
    name: "BIND queries",
    line: "27-Nov-2026 12:34:56.789 client @0x7f9 ?#53123 (example.com): query: example.com IN A + (10.0.0.53)",
  },
  { name: "fail2ban", line: "2026-11-27 12:34:56,789 fail2ban.actions [123]: NOTICE  [sshd] Ban ?" },
  {
    name: "Caddy",
    line: '{"level":"info","ts":1764246896.1,"request":{"remote_ip":"?","remote_port":"43210","client_ip":"?","host":"example.net"}}',
  },
  {
    name: "Traefik",
    line: '{"ClientAddr":"?:43210","ClientHost":"x","DownstreamStatus":200}',
    v6: '{"ClientAddr":"[?]:43210","ClientHost":"x"}',
  },
  {
    name: "Forwarded of RFC 7239",
    head: "peer\tforwarded\n",
    line: "10.0.0.1\tproto=https;for=?;by=203.0.113.43, for=198.51.100.9",
    v6: '10.0.0.1\tproto=https;For="[?]:4711", for=198.51.100.9',
    field: "forwarded",
  },
  {
    name: "CloudTrail",
    head: '{"Records":[',
    line: '{"eventTime":"2026-01-01T00:00:00Z","awsRegion":"eu","sourceIPAddress":"?"},',
    field: "sourceIPAddress",
  },
  { name: "Kinesis Firehose", head: '{"n":0,"ip":"?"}', line: '{"n":1,"ip":"?"}', field: "ip" },
  {
    name: "a feed with comments before its header",
    head: '################\n# Tracker\n################\n"first_seen_utc","dst_ip","dst_port"\n',
    line: '"2026-01-01 00:00:00","?","443"',
    field: "dst_ip",
  },
  {
    name: "a feed whose header is a comment",
    head: "# Tracker\n# first_seen,dst_ip,dst_port\n",
    line: "2026-01-01 00:00:00,?,443",
    field: "dst_ip",
  },
  { name: "rsyslog's octal escapes", line: "Nov 27 12:34:56 host app: login#011?#011failed" },
  { name: "colored text", line: "\u001b[32mINFO\u001b[0m \u001b[1;36m?\u001b[0m GET /" },
];
