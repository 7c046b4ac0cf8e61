import type { Pool } from '#contract/wire'

/* Paths on a 24 by 24 grid: a house, a house with a star, a rack, a phone. */
const paths: Record<Pool, string> = {
  residential: 'M3.5 11 12 4l8.5 7M5.5 9.5V20h13V9.5M10 20v-5.5h4V20',
  residential_premium:
    'M3.5 11 12 4l8.5 7M5.5 9.5V20h13V9.5M12 10.2l1.15 2.3 2.55.37-1.85 1.8.44 2.53L12 16l-2.29 1.2.44-2.53-1.85-1.8 2.55-.37z',
  datacenter:
    'M4 4.5h16v4.6H4zM4 9.9h16v4.6H4zM4 15.3h16v4.6H4zM7.2 6.8h.1M7.2 12.2h.1M7.2 17.6h.1M11 6.8h6M11 12.2h6M11 17.6h6',
  mobile: 'M7 3h10a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM10 5.8h4M11 18.2h2',
}

/** The icon of a pool. Decorative: the name always stands beside it as text. */
export function PoolIcon({
  pool,
  size = 24,
  className,
}: {
  pool: Pool
  size?: number
  className?: string | undefined
}) {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[pool]} />
    </svg>
  )
}
