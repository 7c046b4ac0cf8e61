/**
 * The generator's commands of the palette: «germany sticky 20 lines», «германия 20 строк липкие 10 минут».
 *
 * Words are read independently, so their order does not matter. A number belongs to the unit beside it;
 * without one it is the number of lines. Unknown words are ignored and named.
 */
import { maxLines } from '#contract/proxy-lines'
import { maxSessionMinutes } from '#contract/session-times'
import type { Pool } from '#contract/wire'
import { type CountryFinder, plain } from './country-finder.ts'
import { poolOf, sessionOf, type Unit, unitOf } from './command-words.ts'

export interface Command {
  /** The codes of countries in lower case, sorted. */
  countries: string[]
  pool?: Pool
  session?: 'sticky' | 'rotating'
  minutes?: number
  lines?: number
  /** The words that were not understood, in lower case, sorted. */
  unknown: string[]
}

type Token = { number: string } | { unit: Unit; text: string } | { word: string; typed: string }

const minutesOf: Record<Exclude<Unit, 'lines'>, number> = { minutes: 1, hours: 60 }

/** At most this much of what is typed is read. */
const maxTyped = 300

function tokensOf(typed: string): Token[] {
  const parts = typed.slice(0, maxTyped).match(/4g|\d+|\p{L}[\p{L}\p{M}]*/giu) ?? []
  return parts.map((part): Token => {
    if (/^\d+$/.test(part)) return { number: part }
    const word = plain(part)
    const unit = unitOf(word)
    return unit === undefined ? { word, typed: part } : { unit, text: word }
  })
}

/**
 * Joins numbers with their units. An input such as «lines 20» has every unit before its number; any other
 * input has it after.
 */
function amountsOf(tokens: readonly Token[]) {
  const first = tokens.find((token) => 'unit' in token || 'number' in token)
  const steps = first !== undefined && 'unit' in first ? [1, -1] : [-1, 1]
  const taken = new Set<Token>()
  const amounts: { number: string; unit: Unit }[] = []
  for (const step of steps)
    for (const [index, token] of tokens.entries()) {
      const beside = tokens[index + step]
      if (!('unit' in token) || taken.has(token) || beside === undefined || taken.has(beside)) continue
      if (!('number' in beside)) continue
      taken.add(token).add(beside)
      amounts.push({ number: beside.number, unit: token.unit })
    }
  for (const token of tokens)
    if ('number' in token && !taken.has(token)) amounts.push({ number: token.number, unit: 'lines' })
  return amounts
}

/** Reads what is typed. Never throws. */
export function readCommand(typed: string, findCountries: CountryFinder): Command {
  const tokens = tokensOf(typed)
  const unknown: string[] = []
  const lines: number[] = []
  const minutes: number[] = []
  for (const { number, unit } of amountsOf(tokens)) {
    const isLines = unit === 'lines'
    const amount = Number(number) * (isLines ? 1 : minutesOf[unit])
    if (amount < 1 || amount > (isLines ? maxLines : maxSessionMinutes)) unknown.push(number)
    else (isLines ? lines : minutes).push(amount)
  }
  const words = tokens.filter((token) => 'word' in token)
  const pools = new Set(words.map(({ word }) => poolOf(word)).filter((pool) => pool !== undefined))
  const sessions = new Set(words.map(({ word }) => sessionOf(word)).filter((each) => each !== undefined))
  const rest = words.filter(({ word }) => poolOf(word) === undefined && sessionOf(word) === undefined)
  const found = findCountries(rest)
  // Minutes are those of one exit: they mean a sticky session unless a rotating one is requested.
  const session =
    sessions.has('sticky') || (sessions.size === 0 && minutes.length > 0) ? 'sticky' : 'rotating'
  const pool = pools.has('residential_premium') ? 'residential_premium' : [...pools].toSorted()[0]
  return {
    countries: found.codes.toSorted(),
    ...(pool === undefined ? {} : { pool }),
    ...(sessions.size === 0 && minutes.length === 0 ? {} : { session }),
    ...(minutes.length === 0 ? {} : { minutes: Math.max(...minutes) }),
    ...(lines.length === 0 ? {} : { lines: Math.max(...lines) }),
    unknown: [...new Set([...unknown, ...found.unknown])].toSorted(),
  }
}

/** Whether the input is a command of the generator, rather than the name of a page. */
export const isCommand = ({ countries, pool, session, lines }: Command): boolean =>
  countries.length > 0 || pool !== undefined || session !== undefined || lines !== undefined
