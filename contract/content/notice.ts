/** When the shop's notice to its customers is shown: the rule of the server, the pages and the bot. */

export interface NoticePeriod {
  starts_at: string | null
  ends_at: string | null
}

/** Whether the end is after the start. */
export const isPeriod = (starts: string | null, ends: string | null): boolean =>
  starts === null || ends === null || Date.parse(starts) < Date.parse(ends)

export const isOver = ({ ends_at: ends }: NoticePeriod, nowMs: number): boolean =>
  ends !== null && Date.parse(ends) <= nowMs

export const isNoticeShown = (notice: NoticePeriod, nowMs: number): boolean =>
  (notice.starts_at === null || Date.parse(notice.starts_at) <= nowMs) && !isOver(notice, nowMs)

/** The time until it begins or ends; null: neither is to come. */
export function untilNextChange({ starts_at: starts, ends_at: ends }: NoticePeriod, nowMs: number) {
  const times = [starts, ends].flatMap((time) => (time === null ? [] : [Date.parse(time) - nowMs]))
  const toCome = times.filter((ms) => ms > 0)
  return toCome.length === 0 ? null : Math.min(...toCome)
}
