import { Time } from "../components/time.tsx";
import type { CatalogueSource } from "../documents.ts";
import { dateOf, isWebAddress } from "./about.ts";

/** Where prefixes come from, how old they are, and under which terms. */
export function Sources({ sources }: { readonly sources: readonly CatalogueSource[] }) {
  return (
    <ul class="sources">
      {sources.map((source, at) => (
        <li key={at}>
          <strong>{source.name}</strong>
          {source.version !== null && source.version !== source.published_at && (
            <>
              {" "}
              <span class="mono muted">{source.version}</span>
            </>
          )}
          {source.url !== null && (
            <div class="wrap">
              {isWebAddress(source.url) ? (
                <a href={source.url} rel="noreferrer" target="_blank">
                  {source.url}
                </a>
              ) : (
                source.url
              )}
            </div>
          )}
          <div class="muted small">
            {[
              source.published_at !== null && (
                <>
                  published <Time at={source.published_at} relative />
                </>
              ),
              source.fetched_at !== null && (
                <>
                  fetched <Time at={source.fetched_at} relative />
                </>
              ),
              source.changed_at !== null && (
                <>
                  last changed <Time at={source.changed_at} relative />
                </>
              ),
              source.license,
            ]
              .filter((each) => each !== false && each !== null)
              .map((each, index) => (
                <span key={index}>
                  {index > 0 && " · "}
                  {each}
                </span>
              ))}
          </div>
          {source.attribution !== null && <div class="muted small">{source.attribution}</div>}
        </li>
      ))}
    </ul>
  );
}

/** The sources in one line, for cards. */
export function SourceLine({ sources }: { readonly sources: readonly CatalogueSource[] }) {
  const [first, ...others] = sources.filter(({ url }) => url !== null);
  const date = first === undefined ? null : dateOf(first);
  if (first === undefined) return null;
  return (
    <span class="card-source muted small">
      <span>
        {first.name}
        {others.length > 0 && ` and ${others.length} more`}
      </span>
      {date !== null && <Time at={date} relative />}
    </span>
  );
}
