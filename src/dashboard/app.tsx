import { useLayoutEffect, useState } from "preact/hooks";
import { readSession } from "./account.ts";
import { Confirmation } from "./components/confirm.tsx";
import { Page } from "./components/page.tsx";
import { Empty, ProblemNote, Skeleton } from "./components/states.tsx";
import { Toasts } from "./components/toasts.tsx";
import type { Role } from "./documents.ts";
import { type Problem, problemOf } from "./problem.ts";
import { SignIn } from "./pages/sign-in.tsx";
import { matchPath } from "./location.ts";
import { pageLocation } from "./router.ts";
import { OPEN_ROUTES, type Route, ROUTES } from "./routes.ts";
import { hasRole, session } from "./session.ts";
import { Shell } from "./shell.tsx";

/** Users who are not signed in see the sign-in form instead of the page, and then the page. */
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
  useLayoutEffect(read, []);
  const open = find(OPEN_ROUTES, pageLocation.value.path);
  if (open !== undefined) return <PageOf {...open} />;
  if (problem !== undefined)
    return (
      <main class="alone">
        <ProblemNote problem={problem} retry={read} />
      </main>
    );
  if (session.value === undefined)
    return (
      <main class="alone">
        <Skeleton lines={3} />
      </main>
    );
  if (session.value === null) return <SignIn />;
  const found = find(ROUTES, pageLocation.value.path);
  return (
    <Shell>
      {found === undefined ? (
        <NotFound />
      ) : found.route.needs !== undefined && !hasRole(found.route.needs) ? (
        <NotAllowed needs={found.route.needs} />
      ) : (
        <PageOf {...found} />
      )}
    </Shell>
  );
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

/** The same page with another URL is another page: nothing of the last one remains. */
function PageOf({ route: { path, view: View }, params }: Found) {
  return <View key={JSON.stringify([path, params])} params={params} query={pageLocation.value.query} />;
}

function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon="search" title="Page not found">
        <a href="#/">Go to the overview</a>
      </Empty>
    </Page>
  );
}

function NotAllowed({ needs }: { readonly needs: Role }) {
  return (
    <Page title="No access">
      <Empty icon="key" title={`Only ${needs === "admin" ? "administrators" : "editors"} can open this page`}>
        Ask an administrator for access.
      </Empty>
    </Page>
  );
}
