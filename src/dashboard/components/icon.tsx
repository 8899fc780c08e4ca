/** Drawn on a grid of 16, in the color of the surrounding text. */
const PATHS = {
  audit: "M2.5 8a5.5 5.5 0 1 0 1.7-4M2.3 2.2v3h3M8 5v3.2l2.2 1.3",
  catalogue: "M2.8 2v9.8h4.4M2.8 5.2h4.4M9 3.5h4.5v3.4H9zM9 10.1h4.5v3.4H9z",
  check: "M3 8.5l3.2 3.2L13 4.8",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.2 1.6",
  close: "M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.3V2.5h-8v8h2.8",
  down: "M3.5 6L8 10.5 12.5 6",
  download: "M8 2.5v7.5M4.8 7L8 10.2 11.2 7M2.5 13.5h11",
  edit: "M10.8 2.6l2.6 2.6-7.8 7.8-3.2.6.6-3.2z",
  filter: "M2 3.2h12L9.5 8.6v4.6l-3-1.5V8.6z",
  identify: "M3.8 1.8h5.4l3 3v9.4H3.8zM9 2v3h3M6 8h4M6 10.8h4",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.3v3.7M8 4.9v.2",
  key: "M10.2 2.2a3.6 3.6 0 1 0 0 7.2 3.6 3.6 0 0 0 0-7.2zM7.6 8.4l-5.1 5.1M4.3 11.7l1.7 1.7",
  leave: "M6.5 2.5h-4v11h4M6.5 8h7M10.8 5.2L13.5 8l-2.7 2.8",
  left: "M10 3.5L5.5 8l4.5 4.5",
  menu: "M2.5 4.2h11M2.5 8h11M2.5 11.8h11",
  moon: "M13.3 9.6A5.7 5.7 0 0 1 6.4 2.7a5.7 5.7 0 1 0 6.9 6.9z",
  more: "M3.5 8v.1M8 8v.1M12.5 8v.1",
  overview: "M2.5 2.5H7V7H2.5zM9 2.5h4.5v3H9zM9 8h4.5v5.5H9zM2.5 9.5H7v4H2.5z",
  plus: "M8 3v10M3 8h10",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.7-4M13.7 2.2v3h-3",
  right: "M6 3.5L10.5 8 6 12.5",
  rulesets: "M8 1.7l5.2 1.9v4.1c0 3.2-2.2 5.5-5.2 6.6-3-1.1-5.2-3.4-5.2-6.6V3.6zM5.7 8l1.7 1.7 3.1-3.3",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.4 3.4",
  send: "M2 7.6l12-5.4-4.4 12-2.4-5zM7.2 9.2L14 2.2",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1",
  system: "M2 2.8h12v8H2zM5.5 13.5h5M8 11v2.4",
  trash: "M2.8 4.2h10.4M6.2 4V2.5h3.6V4M4.2 4.4l.6 9.1h6.4l.6-9.1M6.8 6.8v4.2M9.2 6.8v4.2",
  undo: "M3 6h6.5a3.6 3.6 0 0 1 0 7.2H6M5.8 3L2.8 6l3 3",
  upload: "M8 10.5V3M4.8 6L8 2.8 11.2 6M2.5 13.5h11",
  usage: "M2.5 13.5h11M4 11V8M7 11V4.5M10 11V6.5M13 11V2.5",
  user: "M8 2.4a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM2.8 13.8c0-2.8 2.2-4.3 5.2-4.3s5.2 1.5 5.2 4.3",
  users:
    "M6 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM1.8 13.5c0-2.5 1.8-4 4.2-4s4.2 1.5 4.2 4M10.5 2.8a2.5 2.5 0 0 1 0 4.4M11.8 9.8c1.5.5 2.4 1.8 2.4 3.7",
  warning: "M8 2.2l6.2 11.3H1.8zM8 6.5v3.2M8 11.5v.2",
} as const;

export type IconName = keyof typeof PATHS;

/** Not read out: the text beside it, or the label of its button, is. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
