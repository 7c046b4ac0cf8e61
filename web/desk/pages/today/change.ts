/** The change of today's figures, and the heights of the hourly bars. */

/** The change as a fraction; null when there was nothing before to compare with. */
export function changeOf({ today, before }: { today: string; before: string }): number | null {
  const base = Number(before)
  return base === 0 ? null : Math.round(((Number(today) - base) / Math.abs(base)) * 100) / 100
}

const hoursOfDay = 24

/** The bars of a whole day, as shares of the highest hour; hours to come are empty. */
export function sharesOf(hours: readonly string[]): number[] {
  const values = hours.map(Number)
  const highest = Math.max(...values, 0)
  return Array.from({ length: hoursOfDay }, (_, hour) =>
    highest === 0 ? 0 : Math.max(0, values[hour] ?? 0) / highest,
  )
}
