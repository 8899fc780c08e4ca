import { ChangeRow } from "../audit/change-row.tsx";
import { AuditFilterBar } from "../audit/filter-bar.tsx";
import { auditQuery, type AuditFilter, isFiltered, readAuditFilter } from "../audit/filter.ts";
import { useChanges } from "../audit/use-changes.ts";
import { Button, ButtonLink } from "../components/button.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Empty, ProblemNote, Skeleton } from "../components/states.tsx";
import { hrefOf } from "../location.ts";
import { navigate } from "../router.ts";

/** All changes, newest first, or those that match the filter in the page's URL. */
export default function Audit({ query }: PageProps) {
  const filter = readAuditFilter(query);
  const { items, problem, isLoading, more } = useChanges(auditQuery(filter));
  const change = (next: AuditFilter): void => navigate(hrefOf("/audit", { ...next }), { replace: true });
  return (
    <Page
      title="Audit log"
      about="Who changed what, and when: here, through the API and on the command line."
      actions={<Exports filter={filter} />}
    >
      <Panel flush>
        <AuditFilterBar filter={filter} onChange={change} />
        {items?.length === 0 && more === undefined && <NoChanges filter={filter} />}
        {items !== undefined && items.length > 0 && (
          <ol class="changes">
            {items.map((each) => (
              <ChangeRow key={each.sequence} {...each} />
            ))}
          </ol>
        )}
        {problem !== undefined && <ProblemNote problem={problem} {...(more === undefined ? {} : { retry: more })} />}
        {items === undefined && problem === undefined && <Skeleton lines={8} />}
        {items !== undefined && more !== undefined && problem === undefined && (
          <p class="more">
            <Button busy={isLoading} onClick={more}>
              Show older changes
            </Button>
          </p>
        )}
      </Panel>
    </Page>
  );
}

function NoChanges({ filter }: { readonly filter: AuditFilter }) {
  if (!isFiltered(filter)) return <Empty icon="audit" title="No changes yet" />;
  return (
    <Empty icon="filter" title="No matching changes">
      <a class="button" href="#/audit">
        Show all changes
      </a>
    </Empty>
  );
}

/** The matching changes, as files. */
function Exports({ filter }: { readonly filter: AuditFilter }) {
  const href = (format: string): string =>
    `/dashboard/api/audit:export?${new URLSearchParams({ ...auditQuery(filter), format })}`;
  return (
    <>
      <ButtonLink icon="download" href={href("csv")} download="">
        CSV
      </ButtonLink>
      <ButtonLink icon="download" href={href("ndjson")} download="">
        NDJSON
      </ButtonLink>
    </>
  );
}
