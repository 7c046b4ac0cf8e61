/** The desk's calls about exits. */
import type { Kysely } from 'kysely'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { sentenceOf } from '#contract/desk/faults'
import type { Language } from '#contract/language'
import type { DB } from '#db'
import {
  type AnswerFigures,
  answersSince,
  type ChainedExit,
  credentialsOf,
  type DirectExit,
  draftExit,
  exitHealth,
  exitWeights,
  type ExitChange,
  ExitFault,
  type KnownExit,
  noteExitTest,
  readExit,
  showExits,
} from '#exits'
import { findPreset, presetFacts, presets } from '#exits/presets'
import { hostAndPort } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { registeredCountryOf } from '#proxies/networks'
import { connectionSums } from '#requests'
import { authorOf, type DeskHandlers } from '#staff/call'
import { usageBy } from '#traffic'
import { createExit, dropExit, setExit } from './exits.acts.ts'
import { amount, iso } from '../lists/page.ts'

/** The result of a test of an exit. */
export interface ExitTest {
  status: number | null
  tookMs: number
  body: string
  fault: string | null
}

export interface NetworkDeps {
  secrets: Secrets
  /** Requests the shop's echo through an exit, enabled or not. */
  testExit: (exit: NonNullable<Awaited<ReturnType<typeof readExit>>>, line: string) => Promise<ExitTest>
}

const shown = (exit: KnownExit, language: Language) => ({
  id: String(exit.id),
  pool: exit.pool,
  name: exit.name,
  kind: exit.kind,
  enabled: exit.enabled,
  weight: exit.weight,
  endpoint: exit.host === null || exit.port === null ? null : hostAndPort(exit.host, exit.port),
  preset: exit.preset,
  has_password: exit.hasPassword,
  max_connections: exit.maxConnections,
  places: exit.places,
  countries: exit.countries,
  fault: exit.fault === null ? null : sentenceOf(exit.fault, language),
})

const hourMs = 3_600_000

const shownAnswers = (figures: AnswerFigures | undefined) => {
  const whole = (ms: number | null | undefined) => (ms == null || ms === Infinity ? null : Math.round(ms))
  return {
    answered: amount(figures?.answered),
    failed: amount(figures?.failed),
    p50_ms: whole(figures?.p50Ms),
    p95_ms: whole(figures?.p95Ms),
  }
}

/**
 * The traffic of each exit in the last 24 hours, including the current one, and its answers; removed exits
 * are included.
 */
async function figuresOf(db: Kysely<DB>, now: Date): Promise<DeskOutput<'exit_figures'>> {
  const end = Math.ceil(now.getTime() / hourMs) * hourMs
  const period = { by: 'exit', from: new Date(end - 24 * hourMs), to: new Date(end) } as const
  const used = new Map((await usageBy(db, period)).map((sum) => [sum.key, sum]))
  const records = new Map((await connectionSums(db, period)).map((sum) => [sum.key, sum]))
  const ofHour = await answersSince(db, new Date(end - 2 * hourMs))
  const ofDay = await answersSince(db, period.from)
  const pools = new Map((await exitWeights(db)).map(({ id, pool }) => [String(id), pool]))
  const ofPool = Map.groupBy(used.values(), ({ key }) => pools.get(key))
  const shareOf = (id: string) => {
    const pool = pools.get(id)
    if (pool === undefined) return null
    const sum = (ofPool.get(pool) ?? []).reduce((all, { chargedBytes }) => all + chargedBytes, 0n)
    return sum === 0n ? null : Number(((used.get(id)?.chargedBytes ?? 0n) * 1_000_000n) / sum) / 1_000_000
  }
  return [...new Set([...used.keys(), ...records.keys(), ...[...ofDay.keys()].map(String)])]
    .filter((key) => key !== '0')
    .map((id) => ({
      id,
      charged_bytes: amount(used.get(id)?.chargedBytes),
      relayed_bytes: amount(used.get(id)?.relayedBytes),
      share: shareOf(id),
      connections: amount(records.get(id)?.connections),
      refused: amount(records.get(id)?.refused),
      hour: shownAnswers(ofHour.get(BigInt(id))),
      day: shownAnswers(ofDay.get(BigInt(id))),
    }))
}

/** The exit that a form describes; fields left out have the preset's values. Throws an ExitFault. */
function described(given: Omit<DeskParsed<'test_new_exit'>, 'line'>): DirectExit | ChainedExit {
  const { pool, name, kind, preset, options, tls, weight, countries } = given
  const common = {
    pool,
    name,
    weight,
    maxConnections: given.max_connections,
    places: countries?.map((country) => ({ country, state: null, city: null, zip: null, asn: null })) ?? null,
  }
  if (kind === 'direct') {
    const ofProxies = [preset, given.host, given.port, given.username, given.password]
    if (tls || Object.keys(options).length > 0 || ofProxies.some((value) => value !== null))
      throw new ExitFault('exit_direct_bare')
    return { ...common, kind, bindAddress: null }
  }
  const address =
    given.host === null || given.port === null
      ? (findPreset(preset ?? '')?.[kind] ?? null)
      : { host: given.host, port: given.port }
  if (address === null) throw new Refusal('invalid_field', { field: 'host' })
  const credentials = credentialsOf({ username: given.username, password: given.password, preset })
  return { ...common, kind, ...address, preset, options, tls, credentials }
}

/** Turns an ExitFault of `work` into a refusal. */
async function refusing<T>(language: Language, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ExitFault) throw new Refusal('exit_invalid', { fault: error.in(language) })
    throw error
  }
}

/** The result of a test, with the country of the address by two sources: the line, and the registries. */
async function answerOf({ status, tookMs, body, fault }: ExitTest, line: string) {
  const address = /"ip":\s*"([^"]+)"/.exec(body)?.[1] ?? null
  return {
    worked: fault === null && status === 200,
    status,
    took_ms: Math.round(tookMs),
    seen_from: address,
    country: /(?:^|-)cc-([a-z]{2})(?:-|$)/.exec(line)?.[1] ?? null,
    registered_country: address === null ? null : await registeredCountryOf(address),
    fault,
  }
}

const healthOrder = ['fault', 'down', 'degraded', 'unknown', 'up', 'off'] as const

/** The worst first; of equal ones those that failed last. */
async function shownHealth(db: Kysely<DB>, secrets: Secrets, now: Date): Promise<DeskOutput<'exit_health'>> {
  const [exits, known] = [await showExits(db, secrets), await exitHealth(db, now)]
  const rows = exits.map(({ id, pool, name, enabled, weight, fault }) => {
    const { health = null, since = null, error = null, minutes = [] } = known.get(id) ?? {}
    const isUsed = enabled && weight > 0
    const state = !isUsed
      ? ('off' as const)
      : fault === null
        ? (health ?? ('unknown' as const))
        : ('fault' as const)
    return {
      id: String(id),
      pool,
      name,
      state,
      since: state === health ? iso(since) : null,
      error: error === null ? null : { ...error, at: error.at.toISOString() },
      minutes: minutes.map(({ at, answered, failed }) => ({
        at: at.toISOString(),
        answered: amount(answered),
        failed: amount(failed),
      })),
    }
  })
  const order = (state: (typeof rows)[number]['state']) => healthOrder.indexOf(state)
  const latest = (row: (typeof rows)[number]) => row.error?.at ?? ''
  return rows.toSorted((a, b) => order(a.state) - order(b.state) || latest(b).localeCompare(latest(a)))
}

export function networkCalls({ secrets, testExit }: NetworkDeps) {
  return {
    exits: async (_input, { database, language }) =>
      (await showExits(database.db, secrets)).map((exit) => shown(exit, language)),
    exit_health: (_input, { database, now }) => shownHealth(database.db, secrets, now()),
    exit_figures: (_input, { database, now }) => figuresOf(database.db, now()),
    exit_presets: async (_input, { language }) =>
      presets.map(presetFacts).map(({ options, ...facts }) => ({
        name: facts.name,
        title: facts.title,
        http: facts.http,
        socks5: facts.socks5,
        takes_username: findPreset(facts.name)?.username !== null,
        username_example: facts.username_example,
        levels: facts.levels,
        options: Object.entries(options).map(([key, meaning]) => ({ key, meaning: meaning[language] })),
      })),
    set_exit: async ({ id, reason, ...given }, context) => {
      const change: ExitChange = {
        ...(given.enabled === undefined ? {} : { enabled: given.enabled }),
        ...(given.weight === undefined ? {} : { weight: given.weight }),
        ...(given.max_connections === undefined ? {} : { maxConnections: given.max_connections }),
      }
      const by = { secrets, author: authorOf(context) }
      await refusing(context.language, () =>
        setExit(context.database.db, by, { exitId: BigInt(id), change, reason }, context.now()),
      )
      return { changed: true }
    },
    add_exit: async ({ enabled, reason = null, ...given }, context) => {
      const by = { secrets, author: authorOf(context) }
      const id = await refusing(context.language, async () =>
        createExit(context.database.db, by, described(given), { enabled, reason }, context.now()),
      )
      return { id: String(id) }
    },
    remove_exit: async ({ id, reason }, context) => {
      const by = { secrets, author: authorOf(context) }
      await dropExit(context.database.db, by, { exitId: BigInt(id), reason }, context.now())
      return true
    },
    test_exit: async ({ id, line = '' }, { database, language, now }) => {
      const exit = await refusing(language, () => readExit(database.db, secrets, BigInt(id)))
      if (exit === null) throw new Refusal('exit_not_found')
      const answer = await answerOf(await testExit(exit, line), line)
      if (answer.worked) await noteExitTest(database.db, exit.id, now())
      return answer
    },
    test_new_exit: async ({ line = '', ...given }, { language }) => {
      const draft = await refusing(language, async () => draftExit(described(given)))
      return await answerOf(await testExit(draft, line), line)
    },
  } satisfies Partial<DeskHandlers>
}
