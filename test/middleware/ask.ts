import { request as httpRequest, type Agent } from "node:http";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";

/** The response of a server. */
export interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A request over HTTP/1.1 to a port or a Unix socket; headers with several values are sent as several lines. */
export async function ask(
  at: number | string,
  headers: Headers,
  { method = "GET", host = "127.0.0.1", path = "/", agent = false as Agent | false } = {},
): Promise<Answer> {
  const where = typeof at === "string" ? { socketPath: at } : { port: at, host };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { ...where, method, path, agent, headers: headers as Record<string, string[]> },
      (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode!, type: response.headers["content-type"], body }),
          reject,
        );
      },
    );
    sent.once("error", reject).end();
  });
}

/** The same request over HTTP/2. */
export async function ask2(port: number, headers: Headers): Promise<Answer> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    return await new Promise((resolve, reject) => {
      session.once("error", reject);
      const stream = session.request({ ":path": "/", ...headers });
      let [status, type]: [number, string | undefined] = [0, undefined];
      stream.once("error", reject).once("response", (answered) => {
        status = answered[":status"]!;
        type = answered["content-type"];
      });
      text(stream).then((body) => resolve({ status, type, body }), reject);
    });
  } finally {
    session.close();
  }
}
