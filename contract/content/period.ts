/** When the shop's notice and its banners are shown: the rule of the server, the pages and the bot. */

type Moment = Date | string | null

export interface Period {
  /** Null: at once. */
  starts_at: Moment
  /** The time from which it is no longer shown; null: no end. */
  ends_at: Moment
}

const msOf = (moment: Moment) => (moment === null ? null : new Date(moment).getTime())

/** Whether the end is after the start. */
export function isPeriod({ starts_at, ends_at }: Period): boolean {
  const [starts, ends] = [msOf(starts_at), msOf(ends_at)]
  return starts === null || ends === null || starts < ends
}

export function periodState({ starts_at, ends_at }: Period, nowMs: number): 'to_come' | 'shown' | 'over' {
  const [starts, ends] = [msOf(starts_at), msOf(ends_at)]
  if (ends !== null && ends <= nowMs) return 'over'
  return starts !== null && starts > nowMs ? 'to_come' : 'shown'
}

/** The time until it begins or ends; null: neither is to come. */
export function untilNextChange({ starts_at, ends_at }: Period, nowMs: number): number | null {
  const times = [msOf(starts_at), msOf(ends_at)].flatMap((ms) => (ms === null ? [] : [ms - nowMs]))
  const toCome = times.filter((ms) => ms > 0)
  return toCome.length === 0 ? null : Math.min(...toCome)
}
