/** The logo: a road seen from above. */
export function LogoMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--asphalt)" />
      <path d="M16 4.5v5.2M16 13.4v5.2M16 22.3v5.2" stroke="var(--asphalt-paint)" strokeWidth="4.2" />
      <path d="M7 4.5v23M25 4.5v23" stroke="#5A616A" strokeWidth="2" />
    </svg>
  )
}
