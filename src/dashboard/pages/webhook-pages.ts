import OneWebhook from "./webhook.tsx";
import Webhooks from "./webhooks.tsx";

/** The pages of webhooks: a script of their own, as few open them. */
export const PAGES = { OneWebhook, Webhooks };
