import type { ComponentType } from "preact";
import type { PageProps } from "./components/page.tsx";
import { ProblemNote, Skeleton } from "./components/states.tsx";
import { useLoad } from "./load.ts";
import { Problem } from "./problem.ts";

type View = ComponentType<PageProps>;

/** A page whose script is fetched when someone opens it, and then kept. */
export function lazyPage(fetchView: () => Promise<View>): View {
  let fetched: View | undefined;
  return (props) => {
    const { data: Shown = fetched, problem } = useLoad(async () => (fetched ??= await fetchView().catch(explain)));
    if (Shown !== undefined) return <Shown {...props} />;
    // Not by a second import: browsers remember that a script is missing, and an updated server has others.
    return problem === undefined ? (
      <Skeleton lines={8} />
    ) : (
      <ProblemNote problem={problem} retry={() => location.reload()} />
    );
  };
}

function explain(): never {
  throw new Problem(0, {
    title: "The page could not be loaded",
    detail: "The server cannot be reached, or was updated since you opened the dashboard.",
  });
}
