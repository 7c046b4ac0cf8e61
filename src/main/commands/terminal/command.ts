/** Common parts of the commands: access to the services, parsers of arguments, and output. */
import { InvalidArgumentError, Option } from 'commander'
import { pools, type Pool } from '#contract/wire'
import { usdFromText } from '#lib/money'
import { load } from '../../cli/load.ts'
import type { Services } from '../../services.ts'
import type { Settings } from '../../settings/settings.ts'

/** A refusal for the operator: its message is a sentence, and the command exits with status 1. */
export class CommandFault extends Error {}

/** The settings of this run. Their definitions load a third of the program, so a help does without them. */
export async function settings(): Promise<Settings> {
  const [{ sourceInUse }, { readSettings }] = await load(() =>
    Promise.all([import('../../settings/settings.source.ts'), import('../../settings/settings.ts')]),
  )
  return readSettings(sourceInUse().env, process.cwd())
}

export const print = (text: string) => void process.stdout.write(`${text}\n`)

/** Runs a command with the services of the shop, as a guest of the process that owns the database. */
export async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  const { openMigrated } = await load(() => import('../../services.ts'))
  const services = await openMigrated(await settings(), 'guest')
  try {
    await work(services)
  } finally {
    await services.database.close()
  }
}

export const json = () => new Option('--json', 'print the result as JSON')

/** Prints data as JSON: bigints, and integers that a double cannot represent exactly, become strings. */
export function printJson(data: unknown): void {
  print(
    JSON.stringify(
      data,
      (_key, value: unknown) => {
        if (typeof value !== 'bigint') return value
        return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
      },
      2,
    ),
  )
}

/**
 * Removes control characters: text from customers must not send escape sequences to the operator's terminal.
 */
const harmless = (text: string) => text.replaceAll(/\p{C}/gu, '\u{fffd}')

/** Prints rows as columns of text under their headings, or a sentence when there are none. */
export function printTable(headings: string[], rows: string[][], none: string): void {
  if (rows.length === 0) return print(none)
  const lines = [headings, ...rows.map((row) => row.map(harmless))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines) {
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** The pool named by an argument. */
export function poolArgument(text: string): Pool {
  const pool = pools.find((name) => name === text)
  if (pool === undefined) throw new InvalidArgumentError(`It is one of ${pools.join(', ')}.`)
  return pool
}

/** Micro-USD from "3.5", above 0. */
export function usdArgument(text: string): bigint {
  const micros = usdFromText(text)
  if (micros === null || micros <= 0n) throw new InvalidArgumentError('It is an amount in USD such as 3.5.')
  return micros
}

/** Parts per million from a percentage such as "12.5", between `min` and `max` percent. */
export function percentArgument({ min, max }: { min: number; max: number }) {
  return (text: string): number => {
    const ppm = /^\d{1,3}(\.\d{1,4})?$/.test(text) ? Math.round(Number(text) * 10_000) : Number.NaN
    if (!(ppm >= min * 10_000 && ppm <= max * 10_000))
      throw new InvalidArgumentError(`It is a percentage from ${min} to ${max}, with at most 4 decimals.`)
    return ppm
  }
}

/** A whole number between `min` and `max`. */
export function wholeArgument({ min, max }: { min: number; max: number }) {
  return (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`)
    return number
  }
}

/** Why something is done, for the audit trail. */
export function reasonArgument(text: string): string {
  const reason = text.trim()
  if (reason.length < 3 || reason.length > 500)
    throw new InvalidArgumentError('It is a sentence of 3 to 500 characters.')
  return reason
}

/** A time: a day (its end, in UTC) or a full time of RFC 3339. */
export const momentArgument = (text: string): Date => momentOf(text, '23:59:59.999')

/** The same as `momentArgument`, except that a day means its beginning. */
export const beginningArgument = (text: string): Date => momentOf(text, '00:00:00')

function momentOf(text: string, timeOfDay: string): Date {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
  const moment = new Date(isDay ? `${text}T${timeOfDay}Z` : text)
  if ((!isDay && !isMoment) || Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError('It is a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z.')
  return moment
}

/** Parts per million as a percentage: 125 000 → "12.5 %". */
export const percentText = (ppm: number) => `${ppm / 10_000} %`
