import { remove } from "../api.ts";
import { Button, ButtonLink } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Empty, Note, ProblemNote, Skeleton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { notify, notifyProblem } from "../components/toasts.tsx";
import { formatBytes } from "../format.ts";
import { Progress } from "../identify/progress.tsx";
import { ReplayRules } from "../identify/replay.tsx";
import { Summary } from "../identify/summary.tsx";
import { cancelUpload, forgetUpload, uploads } from "../identify/uploads.ts";
import { useIdentification } from "../identify/use-identification.ts";
import type { Identification as Document } from "../documents.ts";
import { navigate } from "../router.ts";
import { hasPlan } from "../session.ts";
import "./identify.css";

/** One log: its progress, or the result. */
export default function Identification({ params }: PageProps) {
  const id = params["identification_id"]!;
  const { data, problem } = useIdentification(id);
  const upload = uploads.value.get(id);
  const isRunning = upload?.state === "sending" || (upload === undefined && data?.state === "running");
  const name = data?.name ?? upload?.name ?? "A log";
  const failure = upload?.problem;
  return (
    <Page
      title={name}
      about={<a href="#/identify">All logs</a>}
      actions={
        isRunning ? (
          <Button icon="close" onClick={() => cancel(id)}>
            Cancel
          </Button>
        ) : (
          data !== undefined && <Actions of={data} />
        )
      }
    >
      {failure !== undefined && <ProblemNote problem={failure} />}
      {failure === undefined && data?.state === "failed" && <Failed of={data} />}
      {isRunning && (
        <Panel title="Identifying" actions={<span class="spinner" aria-hidden="true" />}>
          <Progress upload={upload} data={data} />
        </Panel>
      )}
      {problem !== undefined &&
        failure === undefined &&
        upload === undefined &&
        (problem.status === 404 ? <Gone /> : <ProblemNote problem={problem} />)}
      {data !== undefined && data.state === "done" && <Done of={data} />}
      {data !== undefined && (data.state !== "failed" || data.lines > 0) && failure === undefined && (
        <Summary of={data} />
      )}
      {data?.state === "done" && data.lines > 0 && hasPlan("edl") && <ReplayRules identification={id} />}
      {data === undefined && problem === undefined && failure === undefined && !isRunning && <Skeleton />}
      {failure !== undefined && (
        <p>
          <a href="#/identify" onClick={() => forgetUpload(id)}>
            Choose another file
          </a>
        </p>
      )}
    </Page>
  );
}

function Gone() {
  return (
    <Panel>
      <Empty icon="identify" title="This log is no longer available">
        Results are kept for one hour. <a href="#/identify">Identify it again</a>.
      </Empty>
    </Panel>
  );
}

function Failed({ of: { error } }: { readonly of: Document }) {
  return (
    <Note kind="bad">
      <strong>Only part of the log could be read</strong>
      <p>{error ?? "The server gave no reason."}</p>
      <p>
        <a href="#/identify">Choose another file</a>
      </p>
    </Note>
  );
}

function Done({ of: { expires_at, result_bytes } }: { readonly of: Document }) {
  return (
    <Note kind="good">
      {result_bytes === null ? (
        "Done."
      ) : (
        <>
          Done. The result ({formatBytes(result_bytes)}, gzip)
          {expires_at !== null ? (
            <>
              {" "}
              is kept until <Time at={expires_at} />.
            </>
          ) : (
            " can be downloaded."
          )}
        </>
      )}
    </Note>
  );
}

function Actions({ of: { id, state } }: { readonly of: Document }) {
  return (
    <>
      {state === "done" && (
        <ButtonLink look="primary" icon="download" href={`/dashboard/api/identifications/${id}/result`} download="">
          Download result
        </ButtonLink>
      )}
      <Button icon="trash" onClick={() => ask(id)}>
        Delete
      </Button>
    </>
  );
}

function ask(id: string): void {
  confirm({
    title: "Delete the result?",
    text: "It can no longer be downloaded. Your own file is not changed.",
    action: "Delete",
    danger: true,
    run: async () => {
      await remove("/dashboard/api/identifications/{id}", { params: { path: { id } } });
      navigate("#/identify", { replace: true });
      notify("Result deleted");
    },
  });
}

function cancel(id: string): void {
  cancelUpload(id).then(() => notify("Upload cancelled"), notifyProblem);
  navigate("#/identify", { replace: true });
}
