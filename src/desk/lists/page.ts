/** Pages of lists, with a cursor as text: the position after which the next page begins. */
import { isStorable } from '#contract/texts'
import { parseId } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import { addDays, startOfDay } from '#lib/zone'

const refuse = () => new Refusal('invalid_field', { field: 'after' })

/** The id in a cursor; null: the first page. Refuses with `invalid_after`. */
export function idAfter(after: string | undefined): bigint | null {
  if (after === undefined) return null
  const id = parseId(after)
  if (id === null) throw refuse()
  return id
}

/** The parts of a cursor of several; null: the first page. */
export function partsAfter(after: string | undefined, count: number): string[] | null {
  if (after === undefined) return null
  const parts = Buffer.from(after, 'base64url').toString('utf8').split('\n')
  if (parts.length !== count || !parts.every(isStorable)) throw refuse()
  return parts
}

const number = /^-?\d{1,18}$/

/** The two numbers of a cursor; null: the first page. */
export function numbersAfter(after: string | undefined): [bigint, bigint] | null {
  const parts = partsAfter(after, 2)
  if (parts === null) return null
  if (!parts.every((part) => number.test(part))) throw refuse()
  return parts.map(BigInt) as [bigint, bigint]
}

export const cursorOf = (...parts: string[]): string => Buffer.from(parts.join('\n')).toString('base64url')

/** A page of rows. One row more than `limit` was read, to see whether there is another page. */
export function pageOf<Row, Shown>(
  rows: readonly Row[],
  limit: number,
  { next, shown }: { next: (last: Row) => string; shown: (row: Row) => Shown },
): { rows: Shown[]; next: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page.map(shown), next: rows.length > limit && last !== undefined ? next(last) : null }
}

const isDay = (text: string) => text.length === 10

/** A day of the zone or a time of a filter, as the time at which it begins. */
export const timeOf = (text: string | undefined, zone: string): Date | undefined =>
  text === undefined ? undefined : isDay(text) ? startOfDay(zone, text) : new Date(text)

export const timeOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text))

/** The end of a period that is written as a day, which it includes, or as a time. */
export const endOf = (text: string | undefined, zone: string): Date | undefined =>
  text === undefined ? undefined : isDay(text) ? startOfDay(zone, addDays(text, 1)) : new Date(text)

const hourMs = 3_600_000
/** The maximum period of a sum: it reads a row for every access, hour and exit. */
const mostHours = 100 * 24

/**
 * A period of sums by the hour, whole hours at both ends. Refuses an empty one, and one of more than 100
 * days.
 */
export function wholeHours(from: string, until: string, zone: string): { from: Date; to: Date } {
  const first = Math.floor((timeOf(from, zone)?.getTime() ?? 0) / hourMs)
  const end = Math.ceil((endOf(until, zone)?.getTime() ?? 0) / hourMs)
  if (!(end > first && end - first <= mostHours)) throw new Refusal('invalid_field', { field: 'until' })
  return { from: new Date(first * hourMs), to: new Date(end * hourMs) }
}

export const iso = (time: Date | null): string | null => time?.toISOString() ?? null
export const amount = (value: bigint | undefined): string => String(value ?? 0n)
export const bigintOf = (text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : BigInt(text)
