const dayMs = 86_400_000
/** In days; the page Today warns at the same time. */
const soonDays = 3

/** Whole days from now until a time; negative after that time. */
export const daysLeft = (until: string, now: Date): number =>
  Math.floor((Date.parse(until) - now.getTime()) / dayMs)

/** Whether the deadline is less than `soonDays` away, or over. */
export const isSoon = (until: string, now: Date): boolean =>
  Date.parse(until) - now.getTime() < soonDays * dayMs
