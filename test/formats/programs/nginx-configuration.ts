import { join } from "node:path";

/**
 * The configuration of an nginx in the foreground that writes only into this folder; `http` is added to its block of
 * that name.
 */
export function nginxConfiguration(folder: string, http: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (what) => `${what}_temp_path ${join(folder, what)};`,
  );
  return `daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
error_log ${join(folder, "nginx.log")};
events {}
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary.join("\n  ")}
${http}
}
`;
}
