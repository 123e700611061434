const Mark = ({ size = 22 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 22 22" aria-hidden="true" focusable="false">
    <rect x="0.75" y="0.75" width="20.5" height="20.5" rx="4.5" fill="none" stroke="currentColor" stroke-width="1.5" />
    <rect x="6.5" y="2.8" width="9" height="16.4" rx="1.5" fill="var(--accent)" />
  </svg>
);

export const Brand = ({ href = '/' }: { href?: string }) => (
  <a class="brand" href={href}>
    <Mark />
    packshot
  </a>
);
