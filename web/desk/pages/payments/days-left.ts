const dayMs = 86_400_000
/** As the page Today warns. */
const soonDays = 3

/** Whole days from now until a time; below zero once it is over. */
export const daysLeft = (until: string, now: Date): number =>
  Math.floor((Date.parse(until) - now.getTime()) / dayMs)

/** Whether the deadline is so near that it comes first. */
export const isSoon = (until: string, now: Date): boolean =>
  Date.parse(until) - now.getTime() < soonDays * dayMs
