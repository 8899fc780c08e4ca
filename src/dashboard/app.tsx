import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { readSession } from "./account.ts";
import { Confirmation } from "./components/confirm.tsx";
import { Page, type PageProps } from "./components/page.tsx";
import { Empty, ProblemNote, Skeleton } from "./components/states.tsx";
import { Toasts } from "./components/toasts.tsx";
import type { Role } from "./documents.ts";
import { useLoad } from "./load.ts";
import { type Problem, problemOf } from "./problem.ts";
import { SignIn } from "./pages/sign-in.tsx";
import { matchPath } from "./place.ts";
import { place } from "./router.ts";
import { OPEN_ROUTES, type Route, ROUTES } from "./routes.ts";
import { hasRole, session } from "./session.ts";
import { Shell } from "./shell.tsx";

/** Who is not signed in sees the sign-in in place of the page, and then the page. */
export function App() {
  return (
    <>
      <Content />
      <Confirmation />
      <Toasts />
    </>
  );
}

function Content() {
  const [problem, setProblem] = useState<Problem>();
  const read = (): void => {
    setProblem(undefined);
    readSession().catch((error) => setProblem(problemOf(error)));
  };
  useEffect(() => {
    read();
    // The page's code comes while the server says who is here; where it does not come, the page itself tells.
    find(ROUTES, place.value.path)?.route.load().catch(() => {});
  }, []);
  const open = find(OPEN_ROUTES, place.value.path);
  if (open !== undefined) return <PageOf {...open} />;
  if (problem !== undefined) return <main class="alone"><ProblemNote problem={problem} retry={read} /></main>;
  if (session.value === undefined) return <main class="alone"><Skeleton lines={3} /></main>;
  if (session.value === null) return <SignIn />;
  const found = find(ROUTES, place.value.path);
  return <Shell>{found === undefined ? <NotFound /> : found.route.needs !== undefined && !hasRole(found.route.needs) ? <NotAllowed needs={found.route.needs} /> : <PageOf {...found} />}</Shell>;
}

interface Found {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

function find(routes: readonly Route[], path: string): Found | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

/** Loads a page's code when it is gone to first. */
function PageOf({ route, params }: Found) {
  const { data, problem, reload } = useLoad(async () => ({ route, View: (await route.load()).default }), [route]);
  if (problem !== undefined) return <ProblemNote problem={problem} retry={reload} />;
  if (data === undefined || data.route !== route) return <Skeleton />;
  const View: ComponentType<PageProps> = data.View;
  // Another address of the same page is another page: nothing of the last one stays.
  return <View key={JSON.stringify(params)} params={params} query={place.value.query} />;
}

function NotFound() {
  return <Page title="Not found"><Empty icon="search" title="There is no such page"><a href="#/">Go to the overview</a></Empty></Page>;
}

function NotAllowed({ needs }: { readonly needs: Role }) {
  return <Page title="Not for you"><Empty icon="key" title={`Only ${needs === "admin" ? "administrators" : "editors"} see this page`}>Ask an administrator for the role.</Empty></Page>;
}
