/** What a user agent names, and where the one who runs it says which addresses it comes from. */
export interface Crawler {
  /** What user agents contain, case ignored. */
  readonly token: string;
  readonly name: string;
  /** The node of the crawler's list; the lists of the nodes below count as well. Null: no list is published. */
  readonly node: string | null;
  /**
   * Nodes that must be there for the lists to be complete: if one is not, an address elsewhere proves nothing. Default:
   * `node`.
   */
  readonly complete?: readonly string[];
  /** Other networks of the operator, from which it may come without being in its lists. */
  readonly network?: string;
  /** The operator's documentation. */
  readonly source: string;
}

const GOOGLE = "https://developers.google.com/crawling/docs/crawlers-fetchers/overview-google-crawlers";
const GOOGLE_LISTS = ["googlebot", "special-crawlers", "user-triggered-fetchers", "user-triggered-fetchers-google"].map(
  (list) => `/bot/google/${list}`,
);
const OPENAI = "https://platform.openai.com/docs/bots";
const ANTHROPIC = "https://support.anthropic.com/en/articles/8896518";
const PERPLEXITY = "https://docs.perplexity.ai/guides/bots";

/** Any of Google's lists: which of its crawlers uses which of them has changed before. */
const google = (token: string): Crawler => {
  return { token, name: token, node: "/bot/google", complete: GOOGLE_LISTS, network: "/saas/google", source: GOOGLE };
};
const openai = (token: string, list: string): Crawler => {
  return { token, name: token, node: "/bot/openai", complete: [`/bot/openai/${list}`], source: OPENAI };
};
const listed = (token: string, node: string, source: string, more: Partial<Crawler> = {}): Crawler => {
  return { token, name: token, node, source, ...more };
};
const unlisted = (token: string, source: string): Crawler => {
  return { token, name: token, node: null, source };
};

/** Which tokens of user agents name which crawler. To add one, add a line with the operator's documentation. */
export const CRAWLERS: readonly Crawler[] = [
  // Those whose operators publish lists
  ...["Googlebot", "Google-InspectionTool", "GoogleOther", "Storebot-Google", "Google-CloudVertexBot"].map(google),
  ...["AdsBot-Google", "APIs-Google", "Mediapartners-Google", "Google-Safety"].map(google),
  ...["FeedFetcher-Google", "Google-Read-Aloud", "Google-Site-Verification", "GoogleProducer"].map(google),
  listed("bingbot", "/bot/microsoft/bingbot", "https://www.bing.com/webmasters/help/8c184ec0", { name: "Bingbot" }),
  listed("Applebot", "/bot/apple/applebot", "https://support.apple.com/119829", { network: "/saas/apple" }),
  listed(
    "DuckDuckBot",
    "/bot/duckduckgo/duckduckbot",
    "https://duckduckgo.com/duckduckgo-help-pages/results/duckduckbot",
  ),
  listed(
    "DuckAssistBot",
    "/bot/duckduckgo/duckassistbot",
    "https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot",
  ),
  openai("GPTBot", "gptbot"),
  openai("OAI-SearchBot", "searchbot"),
  openai("ChatGPT-User", "chatgpt-user"),
  openai("OAI-AdsBot", "adsbot"),
  ...["ClaudeBot", "Claude-User", "Claude-SearchBot"].map((token) =>
    listed(token, "/bot/anthropic", ANTHROPIC, { network: "/saas/anthropic" }),
  ),
  listed("PerplexityBot", "/bot/perplexity/perplexitybot", PERPLEXITY),
  listed("Perplexity-User", "/bot/perplexity/perplexity-user", PERPLEXITY),
  ...["AhrefsBot", "AhrefsSiteAudit"].map((token) => listed(token, "/bot/ahrefs", "https://ahrefs.com/robot")),
  listed("CCBot", "/bot/common-crawl/ccbot", "https://commoncrawl.org/ccbot"),
  listed("MistralAI-User", "/bot/mistral/mistralai-user", "https://docs.mistral.ai/robots"),
  listed("MistralAI-Index", "/bot/mistral/mistralai-index", "https://docs.mistral.ai/robots"),
  listed("SeznamBot", "/bot/seznam/seznambot", "https://o-seznam.cz/napoveda/vyhledavani/en/seznambot-crawler/", {
    network: "/bot/seznam",
  }),
  listed("Amazonbot", "/bot/amazon/amazonbot", "https://developer.amazon.com/amazonbot"),
  listed("UptimeRobot", "/bot/uptimerobot", "https://uptimerobot.com/help/locations/"),
  listed("Pingdom.com_bot", "/bot/pingdom", "https://documentation.solarwinds.com/en/success_center/pingdom/", {
    name: "Pingdom",
  }),
  listed("Better Uptime Bot", "/bot/better-stack", "https://betterstack.com/docs/uptime/frequently-asked-questions/", {
    name: "Better Stack",
  }),
  listed("StatusCake", "/bot/statuscake", "https://www.statuscake.com/kb/knowledge-base/what-are-your-ips/"),
  listed("updown.io", "/bot/updown", "https://updown.io/about"),
  listed("HetrixTools", "/bot/hetrixtools", "https://docs.hetrixtools.com/uptime-monitoring-ip-addresses/"),
  listed("NodePing", "/bot/nodeping", "https://nodeping.com/faq.html"),
  listed("OhDear", "/bot/oh-dear", "https://ohdear.app/docs/faq/which-ips-do-you-use", { name: "Oh Dear" }),

  // Those whose operators publish none, or ask for a lookup of the address's name
  unlisted("AdIdxBot", "https://www.bing.com/webmasters/help/8c184ec0"),
  unlisted("BingPreview", "https://www.bing.com/webmasters/help/8c184ec0"),
  unlisted("Baiduspider", "https://help.baidu.com/question?prod_id=99&class=0&id=3001"),
  unlisted("YandexBot", "https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html"),
  unlisted("YandexImages", "https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html"),
  unlisted("Bytespider", "https://www.bytespider.net/"),
  unlisted("PetalBot", "https://aspiegel.com/petalbot"),
  unlisted("Sogou web spider", "https://www.sogou.com/docs/help/webmasters.htm"),
  unlisted("Yeti", "https://searchadvisor.naver.com/guide/seo-basic-firewall"),
  unlisted("Qwantbot", "https://help.qwant.com/bot/"),
  unlisted("SemrushBot", "https://www.semrush.com/bot/"),
  unlisted("MJ12bot", "https://mj12bot.com/"),
  unlisted("DotBot", "https://moz.com/help/moz-procedures/crawlers/dotbot"),
  unlisted("DataForSeoBot", "https://dataforseo.com/dataforseo-bot"),
  unlisted("facebookexternalhit", "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"),
  unlisted("meta-externalagent", "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"),
  unlisted("meta-externalfetcher", "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"),
  unlisted("Twitterbot", "https://developer.x.com/en/docs/x-for-websites/cards/guides/getting-started"),
  unlisted("LinkedInBot", "https://www.linkedin.com/robots.txt"),
  unlisted("Pinterestbot", "https://help.pinterest.com/en/business/article/pinterestbot"),
  unlisted("Slackbot", "https://api.slack.com/robots"),
  unlisted("Discordbot", "https://discord.com"),
  unlisted("TelegramBot", "https://core.telegram.org/bots/webhooks"),
  unlisted("archive.org_bot", "https://archive.org/details/archive.org_bot"),
];
