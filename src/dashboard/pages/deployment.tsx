import { useEffect, useState } from "preact/hooks";
import { Button, ButtonLink, IconButton } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { ProblemNote, Skeleton } from "../components/states.tsx";
import { guardClassesText } from "../components/guard-classes.tsx";
import { PreviousEnds, Time } from "../components/time.tsx";
import { notify, notifyProblem } from "../components/toasts.tsx";
import { BlockedRequests } from "../deployments/blocked.tsx";
import { DeleteDeployment, RotateDeployment } from "../deployments/deployment-dialogs.tsx";
import {
  change,
  fetchChoices,
  fetchDeployment,
  fetchUrls,
  publish,
  type TaggedDeployment,
} from "../deployments/deployments-api.ts";
import { DEVICES } from "../deployments/devices.ts";
import { Enforcers } from "../deployments/enforcers.tsx";
import { FeedUrls } from "../deployments/feed-urls.tsx";
import { Pulls } from "../deployments/pulls.tsx";
import { type Choices, sourceText } from "../deployments/source-list.tsx";
import { SourceLink } from "../deployments/source-link.tsx";
import { canBeReleased, DoubtfulSources, Reasons, StateBadge, StateNote } from "../deployments/state.tsx";
import type { Deployment, DeploymentSource, DeploymentUrls } from "../documents.ts";
import { formatCount } from "../format.ts";
import { FORMATS } from "../formats.ts";
import { useLoad } from "../load.ts";
import { hasRole } from "../session.ts";
import "../deployments/deployments.css";

/** Milliseconds after which a list that is being built is requested again. */
const AGAIN = 1500;

/** One deployment: its state, how devices get its list, who has fetched it, and what was blocked. */
export default function OneDeployment({ params }: PageProps) {
  const id = params["deployment_id"]!;
  const { data, problem, reload } = useLoad(
    async (signal) => {
      const { deployment, tag } = await fetchDeployment(id, signal);
      const [urls, choices] = await Promise.all([fetchUrls(deployment, signal), fetchChoices(signal)]);
      return { deployment, tag, urls, choices };
    },
    [id],
  );
  const isMade = data?.deployment.status !== "stale" || !data.deployment.active;
  useEffect(() => {
    if (isMade) return undefined;
    const timer = setTimeout(reload, AGAIN);
    return () => clearTimeout(timer);
  }, [data]);
  if (data === undefined)
    return (
      <Page title="Deployment">
        {problem === undefined ? <Skeleton lines={8} /> : <ProblemNote problem={problem} retry={reload} />}
      </Page>
    );
  const { deployment, tag, urls, choices } = data;
  return (
    <Page
      title={deployment.name}
      about={<Line deployment={deployment} />}
      actions={<Actions deployment={deployment} tag={tag} reload={reload} />}
    >
      {problem !== undefined && <ProblemNote problem={problem} retry={reload} />}
      <StateNote deployment={deployment}>
        {hasRole("editor") && <Cure deployment={deployment} tag={tag} reload={reload} />}
      </StateNote>
      <DoubtfulSources sources={deployment.doubtful_sources} />
      <Facts deployment={deployment} choices={choices} />
      {urls !== null && <FeedUrls deployment={deployment} urls={urls} />}
      <Pulls id={id} />
      <Enforcers deploymentId={id} server={serverOf(urls)} />
      <BlockedRequests deploymentId={id} choices={choices} />
    </Page>
  );
}

/** The server's URL as devices have it, which the operator may have set; otherwise that of the page. */
function serverOf(urls: DeploymentUrls["urls"] | null): string {
  return urls?.combined[0]?.split("/feeds/")[0] ?? location.origin;
}

function Line({ deployment }: { readonly deployment: Deployment }) {
  return (
    <span class="row">
      <a href="#/deployments">Deployments</a>
      <StateBadge deployment={deployment} />
      {deployment.description !== "" && <bdi class="wrap">{deployment.description}</bdi>}
    </span>
  );
}

interface ActionProps extends TaggedDeployment {
  readonly reload: () => void;
}

function Actions({ deployment, tag, reload }: ActionProps) {
  const [opened, open] = useState<"rotate" | "delete">();
  const close = (): void => open(undefined);
  return (
    <>
      {hasRole("editor") && <IconButton icon="trash" label="Delete the deployment" onClick={() => open("delete")} />}
      <Button icon="refresh" onClick={reload}>
        Refresh
      </Button>
      {hasRole("admin") && (
        <Button icon="key" onClick={() => open("rotate")}>
          Replace credentials
        </Button>
      )}
      {hasRole("editor") && deployment.active && (
        <Button icon="close" onClick={() => askToStop({ deployment, tag, reload })}>
          Deactivate
        </Button>
      )}
      {hasRole("editor") && (
        <ButtonLink look="primary" icon="edit" href={`#/deployments/${deployment.id}/edit`}>
          Edit
        </ButtonLink>
      )}
      {opened === "rotate" && <RotateDeployment deployment={deployment} onClose={close} onRotated={reload} />}
      {opened === "delete" && <DeleteDeployment deployment={deployment} tag={tag} onClose={close} />}
    </>
  );
}

/** The buttons of a state. */
function Cure({ deployment, tag, reload }: ActionProps) {
  if (!deployment.active)
    return (
      <Button small onClick={() => void change(deployment.id, { active: true }, tag).then(reload, notifyProblem)}>
        Activate
      </Button>
    );
  if (!canBeReleased(deployment)) return null;
  return (
    <Button small onClick={() => askToPublish(deployment, reload)}>
      Publish list {deployment.refused_generation}
    </Button>
  );
}

function askToStop({ deployment: { id, name }, tag, reload }: ActionProps): void {
  confirm({
    title: `Deactivate "${name}"?`,
    text: (
      <p>
        Devices that fetch the list get 403 until it is active again. Some keep their last list, some stop blocking.
      </p>
    ),
    action: "Deactivate",
    danger: true,
    run: async () => {
      await change(id, { active: false }, tag);
      notify(`"${name}" is not active.`);
      reload();
    },
  });
}

function askToPublish({ id, name, reasons, refused_generation: refused }: Deployment, reload: () => void): void {
  confirm({
    title: `Publish list ${refused} of "${name}"?`,
    text: <Reasons reasons={reasons} />,
    action: "Publish the list",
    danger: true,
    run: async () => {
      await publish(id, refused!);
      notify(`List ${refused} released. Devices get it within seconds.`);
      setTimeout(reload, AGAIN);
    },
  });
}

const GUARD_TEXTS: Readonly<Record<Deployment["guard"], string>> = {
  off: "off",
  warn: "warns in previews",
  refuse: "refuses lists with addresses that should not be blocked",
  carve: "leaves out addresses that should not be blocked",
};

function Facts({ deployment, choices }: { readonly deployment: Deployment; readonly choices: Choices }) {
  const { generation, last_generated: at, firewall_format: format, device, purpose } = deployment;
  const chosen = guardClassesText(deployment.guard_classes);
  return (
    <Panel title="List">
      <dl class="facts">
        <dt>Entries</dt>
        <dd>
          {formatCount(deployment.ipv4_entries_count)} IPv4, {formatCount(deployment.ipv6_entries_count)} IPv6
          {deployment.unprocessable_count > 0 &&
            `; ${formatCount(deployment.unprocessable_count)} left out that the format cannot express`}
        </dd>
        <dt>Built</dt>
        <dd>
          {at === null ? (
            "not yet"
          ) : (
            <>
              <Time at={at} relative /> (list {generation})
            </>
          )}
        </dd>
        <dt>Format</dt>
        <dd>
          {FORMATS[format].title}
          {device !== "none" && ` (${DEVICES[device][0]})`}
        </dd>
        <dt>Purpose</dt>
        <dd>{purpose}</dd>
        {purpose === "blocklist" && <dt>Guard</dt>}
        {purpose === "blocklist" && (
          <dd>
            {GUARD_TEXTS[deployment.guard]}
            {chosen !== undefined && `; protects ${chosen}`}
          </dd>
        )}
        <dt>Includes</dt>
        <dd>
          <Sources sources={deployment.include} choices={choices} />
        </dd>
        <dt>Excludes</dt>
        <dd>
          <Sources sources={deployment.exclude} choices={choices} />
        </dd>
        {deployment.previous_urls.length > 0 && <dt>Old URLs</dt>}
        {deployment.previous_urls.length > 0 && (
          <dd>
            <PreviousEnds previous={deployment.previous_urls} verb="work" />
          </dd>
        )}
        <dt>Last pull</dt>
        <dd>{deployment.last_accessed === null ? "never" : <Time at={deployment.last_accessed} relative />}</dd>
      </dl>
    </Panel>
  );
}

function Sources({ sources, choices }: { readonly sources: readonly DeploymentSource[]; readonly choices: Choices }) {
  if (sources.length === 0) return <>nothing</>;
  return (
    <ul class="stack-tight plain-list">
      {sources.map((source) => (
        <li key={JSON.stringify(source)}>
          <SourceLink source={source}>
            <bdi>{sourceText(source, choices)}</bdi>
          </SourceLink>
        </li>
      ))}
    </ul>
  );
}
