/**
 * The API console: the operations of a document, each with a form to send a request from. Everything it fetches comes
 * from this server, beside the page, wherever a proxy has put it.
 */
import SwaggerUI from "swagger-ui-dist/swagger-ui-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

interface ApiDocument {
  servers: readonly { readonly url: string }[];
  readonly components: { securitySchemes?: unknown };
}

const isDashboard = new URLSearchParams(location.search).get("document") === "dashboard";
/** Where the service's paths begin. */
const BASE = new URL("..", location.href);

/** The document, for requests to the server of this page: the page's policy allows no other. */
async function fetchDocument(): Promise<ApiDocument> {
  const path = isDashboard ? "dashboard/api/openapi.json" : "openapi.json";
  const response = await fetch(new URL(path, BASE));
  if (!response.ok) throw new Error(`${response.url} responded with status ${response.status}`);
  const found = (await response.json()) as ApiDocument;
  found.servers = [{ url: BASE.href.replace(/\/$/, "") }];
  // The browser sends a session's cookie by itself: there is nothing to enter.
  if (isDashboard) delete found.components.securitySchemes;
  return found;
}

function followColorScheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => void document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

const credentials = document.querySelector("#credentials")!;
credentials.textContent = isDashboard
  ? "Requests are real, and are sent with your dashboard session. Sign in to the dashboard first."
  : "Requests are real, and count against your key's limits. Enter the key under “Authorize”; it is forgotten when the page is closed.";
followColorScheme();
try {
  SwaggerUI({
    dom_id: "#console",
    spec: await fetchDocument(),
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // By default, the document would be sent to a validator on the internet.
    validatorUrl: null,
  });
} catch (error) {
  credentials.textContent = `The API document could not be loaded: ${(error as Error).message}. Reload the page to try again.`;
}
