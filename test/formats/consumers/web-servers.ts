import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePort } from "../../free-port.ts";
import { missingCommand } from "../../tools.ts";
import { nginxConfiguration } from "../programs/nginx-configuration.ts";
import { type Consumer, denied } from "./consumer.ts";

export const nginx: Consumer = {
  name: "nginx, geo",
  format: "nginx",
  missing: missingCommand("nginx", "-v", "nginx-light"),
  async listed(file, addresses, folder) {
    writeFileSync(join(folder, "rules.conf"), file);
    const socketPath = join(folder, "nginx.sock");
    const configuration = nginxConfiguration(
      folder,
      `  set_real_ip_from unix:;
  real_ip_header X-Real-IP;
  geo $listed { default 0; include ${join(folder, "rules.conf")}; }
  server { listen unix:${socketPath}; location / { if ($listed) { return 403; } return 204; } }`,
    );
    writeFileSync(join(folder, "nginx.conf"), configuration);
    const options = ["-p", folder, "-c", join(folder, "nginx.conf")];
    const process = spawn("nginx", options, { stdio: "ignore" });
    return denied({ process, reached: { socketPath }, header: "X-Real-IP" }, addresses);
  },
};

export const haproxy: Consumer = {
  name: "HAProxy, acl",
  format: "haproxy",
  missing: missingCommand("haproxy", "-v", "haproxy"),
  async listed(file, addresses, folder) {
    writeFileSync(join(folder, "rules.acl"), file);
    const socketPath = join(folder, "haproxy.sock");
    const configuration = `defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend addresses
  bind unix@${socketPath}
  acl listed req.hdr_ip(X-Real-IP) -f ${join(folder, "rules.acl")}
  http-request return status 403 if listed
  http-request return status 200
`;
    writeFileSync(join(folder, "haproxy.cfg"), configuration);
    const process = spawn("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")], { stdio: "ignore" });
    return denied({ process, reached: { socketPath }, header: "X-Real-IP" }, addresses);
  },
};

/** The module folder of Debian's package. */
const MODULES = "/usr/lib/apache2/modules";

export const apache: Consumer = {
  name: "Apache, mod_authz_host",
  format: "apache",
  missing: missingCommand("apache2", "-v", "apache2"),
  async listed(file, addresses, folder) {
    const port = await freePort();
    writeFileSync(join(folder, "rules.conf"), file);
    const modules = ["mpm_event", "authz_core", "authz_host", "remoteip"].map(
      (name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`,
    );
    const configuration = `ServerRoot ${folder}
ServerName test
PidFile ${join(folder, "apache.pid")}
ErrorLog ${join(folder, "error.log")}
Listen 127.0.0.1:${port}
DocumentRoot ${folder}
User nobody
${modules.join("\n")}
RemoteIPHeader X-Real-IP
RemoteIPInternalProxy 127.0.0.1
KeepAlive On
MaxKeepAliveRequests 0
<Location />
<RequireAll>
Require all granted
Include ${join(folder, "rules.conf")}
</RequireAll>
</Location>
`;
    writeFileSync(join(folder, "apache.conf"), configuration);
    const options = ["-f", join(folder, "apache.conf")];
    const { status, stderr } = spawnSync("apache2", ["-t", ...options], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const process = spawn("apache2", ["-D", "FOREGROUND", ...options], { stdio: "ignore" });
    return denied({ process, reached: { port, path: "/none" }, header: "X-Real-IP" }, addresses);
  },
};

export const varnish: Consumer = {
  name: "Varnish, acl",
  format: "varnish",
  missing: missingCommand("varnishd", "-V", "varnish") || missingCommand("gcc", "--version", "gcc"),
  async listed(file, addresses, folder) {
    const port = await freePort();
    const vcl = `vcl 4.1;
import std;
backend none none;
${file}
sub vcl_recv {
  if (std.ip(req.http.X-Real-IP, "0.0.0.0") ~ list) { return (synth(403)); }
  return (synth(200));
}
`;
    writeFileSync(join(folder, "rules.vcl"), vcl);
    // It compiles as a user of its own.
    for (const path of [dirname(folder), folder]) chmodSync(path, 0o755);
    const options = ["-F", "-n", join(folder, "varnish"), "-a", `127.0.0.1:${port}`, "-f", join(folder, "rules.vcl")];
    const process = spawn("varnishd", options, { stdio: "ignore" });
    return denied({ process, reached: { port }, header: "X-Real-IP" }, addresses);
  },
};

export const squid: Consumer = {
  name: "Squid, acl src",
  format: "squid",
  missing: missingCommand("squid", "-v", "squid"),
  async listed(file, addresses, folder) {
    const port = await freePort();
    writeFileSync(join(folder, "rules.acl"), file);
    mkdirSync(join(folder, "run"));
    for (const path of [folder, join(folder, "run")]) chmodSync(path, 0o777);
    const configuration = `http_port 127.0.0.1:${port}
pid_filename ${join(folder, "run", "squid.pid")}
cache_log ${join(folder, "run", "cache.log")}
access_log none
cache deny all
coredump_dir ${folder}
shutdown_lifetime 0 seconds
pinger_enable off
visible_hostname test
follow_x_forwarded_for allow localhost
acl_uses_indirect_client on
acl listed src "${join(folder, "rules.acl")}"
acl here dst 127.0.0.1
http_access deny listed
http_access allow here
http_access deny all
never_direct deny all
`;
    writeFileSync(join(folder, "squid.conf"), configuration);
    const options = ["-f", join(folder, "squid.conf")];
    const { status, stderr } = spawnSync("squid", ["-k", "parse", ...options], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /WARNING|ERROR/);
    const process = spawn("squid", ["-N", ...options], { stdio: "ignore" });
    // Port 1 refuses connections: clients that are not denied get 503.
    const reached = { port, path: "http://127.0.0.1:1/" };
    return denied({ process, reached, header: "X-Forwarded-For" }, addresses);
  },
};
