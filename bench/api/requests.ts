/** A request as a test client writes it. */
export interface RequestText {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly key?: string;
  /** Sent as JSON. */
  readonly body?: string;
}

export function requestBytes({ method = "GET", path, key, body }: RequestText): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Accept: */*"];
  if (key !== undefined) head.push(`X-API-Key: ${key}`);
  if (body !== undefined) head.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

/** Sends one request and returns the whole response. Throws if it is not 2xx. */
export async function askOnce(port: number, { method = "GET", path, key, body }: RequestText): Promise<string> {
  const headers = {
    ...(key === undefined ? {} : { "X-API-Key": key }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}
