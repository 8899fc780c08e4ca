import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nginxConfiguration } from "../../formats/programs/nginx-configuration.ts";
import { missingCommand } from "../../tools.ts";
import { freePort } from "../../free-port.ts";
import { type ListeningProgram, startListening } from "./start-listening.ts";

/** A proxy that clients share, together with its connections to the service. */
export interface Proxy {
  readonly name: string;
  /** Why it cannot run here; false if it can. */
  readonly missing: string | false;
  /** Its arguments, once its configuration is in the folder. */
  configure(options: ProxyOptions): string[];
}

export interface ProxyOptions {
  readonly folder: string;
  readonly listenPort: number;
  readonly servicePort: number;
  readonly withTls: boolean;
}

const TLS = join(import.meta.dirname, "../../update/tls");
/** The authority that signed the proxies' certificate. */
export const CERTIFICATE_AUTHORITY = readFileSync(join(TLS, "ca.crt"));

export const PROXIES: readonly Proxy[] = [
  {
    name: "haproxy",
    missing: missingCommand("haproxy", "-v", "haproxy"),
    configure({ folder, listenPort, servicePort, withTls }) {
      writeFileSync(
        join(folder, "both.pem"),
        readFileSync(join(TLS, "server.crt"), "utf8") + readFileSync(join(TLS, "server.key"), "utf8"),
      );
      writeFileSync(
        join(folder, "haproxy.cfg"),
        `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 20s
  timeout server 20s
  option forwardfor
frontend clients
  bind 127.0.0.1:${listenPort}${withTls ? ` ssl crt ${join(folder, "both.pem")}` : ""}
  http-request set-header X-Forwarded-Proto ${withTls ? "https" : "http"}
  default_backend service
backend service
  http-reuse always
  server one 127.0.0.1:${servicePort} maxconn 1 pool-max-conn 1
`,
      );
      return ["-db", "-f", join(folder, "haproxy.cfg")];
    },
  },
  {
    name: "nginx",
    missing: missingCommand("nginx", "-v", "nginx-light"),
    configure({ folder, listenPort, servicePort, withTls }) {
      const tls = `ssl_certificate ${join(TLS, "server.crt")}; ssl_certificate_key ${join(TLS, "server.key")};`;
      writeFileSync(
        join(folder, "nginx.conf"),
        nginxConfiguration(
          folder,
          `  upstream service { server 127.0.0.1:${servicePort}; keepalive 1; }
  server {
    listen 127.0.0.1:${listenPort}${withTls ? " ssl" : ""};
    ${withTls ? tls : ""}
    client_max_body_size 0;
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }`,
        ),
      );
      return ["-p", folder, "-c", join(folder, "nginx.conf")];
    },
  },
];

/** Starts a proxy to the service, and waits until it listens. */
export async function startProxy(
  { name, configure }: Proxy,
  options: Omit<ProxyOptions, "listenPort">,
): Promise<ListeningProgram> {
  const port = await freePort();
  return startListening(name, configure({ ...options, listenPort: port }), port);
}
