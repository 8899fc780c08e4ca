import { formatBytes, formatCounted } from "../format.ts";
import type { Identification } from "../documents.ts";
import type { Upload } from "./uploads.ts";

/** The progress of the upload and of the server. The time left is shown once the speed is known. */
export function Progress({
  upload,
  data,
}: {
  readonly upload: Upload | undefined;
  readonly data: Identification | undefined;
}) {
  const size = upload?.size ?? data?.size ?? null;
  const sent = upload?.sent ?? data?.bytes ?? 0;
  const read = data?.bytes ?? 0;
  const seconds = upload === undefined ? 0 : (performance.now() - upload.startedAt) / 1000;
  const speed = seconds > 0.5 ? sent / seconds : 0;
  const isSent = size !== null && sent >= size;
  return (
    <div class="stack progress" role="group" aria-label="Progress">
      {upload !== undefined && (
        <Bar
          label="Uploaded"
          value={sent}
          most={size}
          aside={
            isSent
              ? "complete"
              : [
                  speed > 0 && `${formatBytes(speed)}/s`,
                  speed > 0 && size !== null && `${formatTime((size - sent) / speed)} left`,
                ]
                  .filter(Boolean)
                  .join(", ")
          }
        />
      )}
      <Bar
        label="Identified"
        value={read}
        most={size}
        aside={data === undefined ? "waiting for the server" : formatCounted(data.lines, "line")}
      />
    </div>
  );
}

function Bar({
  label,
  value,
  most,
  aside,
}: {
  readonly label: string;
  readonly value: number;
  readonly most: number | null;
  readonly aside: string;
}) {
  const percent = most === null || most === 0 ? null : Math.min(100, Math.floor((100 * value) / most));
  return (
    <div>
      <p class="progress-text">
        <span>
          <strong>{label}</strong> {formatBytes(value)}
          {most !== null && ` of ${formatBytes(most)}`}
          {percent !== null && ` (${percent} %)`}
        </span>
        <span class="muted">{aside}</span>
      </p>
      <progress aria-label={label} max={100} {...(percent === null ? {} : { value: percent })} />
    </div>
  );
}

/** `40 s`, `3 min`, `2.5 h` */
function formatTime(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
