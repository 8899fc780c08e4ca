interface NameCellProps {
  readonly name: string;
  readonly href: string;
  /** Below the name, in small type; the empty text is left out. */
  readonly note: string;
}

/** The name of something in a table, as a link to its page. */
export function NameCell({ name, href, note }: NameCellProps) {
  return (
    <div class="name-cell">
      <a href={href}>
        <bdi>{name}</bdi>
      </a>
      {note !== "" && (
        <p class="muted small wrap">
          <bdi>{note}</bdi>
        </p>
      )}
    </div>
  );
}
