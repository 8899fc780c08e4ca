import TaxiiClients from "./taxii-clients.tsx";
import OneWebhook from "./webhook.tsx";
import Webhooks from "./webhooks.tsx";

/** The pages of programs that follow changes, webhooks and TAXII: a script of their own, as few open them. */
export const PAGES = { OneWebhook, TaxiiClients, Webhooks };
