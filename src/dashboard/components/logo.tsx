/** Prefixes, each more specific than the last, and what passes. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" />
      <path d="M3.5 4.5h9M3.5 8h6M3.5 11.5h3" />
      <circle cx="11.6" cy="11.4" r="1.6" />
    </svg>
  );
}
