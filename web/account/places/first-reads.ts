/**
 * What the first screen of a tab reads, for the server: it answers all of it in one request, which the page
 * begins before its scripts have loaded. A read that is missing here is made by its component.
 */
import { type Tab, tabFromAddress } from '#contract/account-tabs'
import type { Frame } from '#contract/frames/frames'
import type { Ask, FirstScreen, PageData } from '#contract/page-renderer'
import { query } from '../../state/reads/queries.ts'
import type { Profile } from '../../state/session.ts'
import { exampleInput, exampleKey } from '../panel/lines.ts'
import { settingsIn, settingsKey } from '../panel/settings.ts'
import { usablePool, usablePools } from '../profile.ts'
import { presets } from '../statistics/report.ts'
import { topUpsQuery } from '../topup/queries.ts'

type Answers = PageData['answers']

/** The tab of a frame of the account. */
export const tabOf = (frame: Frame): Tab =>
  tabFromAddress(new URLSearchParams(new URL(frame, 'http://localhost').search))

interface FirstReads extends PageData {
  /** Null: the caller may not read it, and nothing else. */
  user: Profile | null
}

/** The answers of a tab's first screen. */
export async function firstReads(screen: FirstScreen, ask: Ask): Promise<FirstReads> {
  const profile = await ask('legacy_profile', {})
  const user = profile?.[0]
  if (profile === undefined || user === undefined) return { answers: [], user: null }
  const [others, teams] = await Promise.all([
    readsOf(tabOf(screen.frame), user, screen, ask),
    allOf([one(query('my_teams', {}).queryKey, ask('my_teams', {}))]),
  ])
  return { answers: [[query('legacy_profile', {}).queryKey, profile], ...teams, ...others], user }
}

async function readsOf(tab: Tab, user: Profile, screen: FirstScreen, ask: Ask): Promise<Answers> {
  if (tab === 'main') return overviewReads(user, screen, ask)
  if (tab === 'invoices')
    return allOf([
      one(query('invoices', {}).queryKey, ask('invoices', {})),
      one(query('buyer_details', {}).queryKey, ask('buyer_details', {})),
    ])
  if (tab === 'profile')
    return allOf([
      one(query('receipt_email', {}).queryKey, ask('receipt_email', {})),
      one(query('get_host_privacy', {}).queryKey, ask('get_host_privacy', {})),
    ])
  return []
}

/** Those of the overview; some depend on what it has answered. */
async function overviewReads(user: Profile, screen: FirstScreen, ask: Ask): Promise<Answers> {
  const { language, stored, nowMs } = screen
  const [from, to] = presets(nowMs).week
  const week = { from, to, by: 'day' } as const
  const settings = settingsIn(stored[settingsKey] ?? null)
  const pool = usablePool(user, settings.pool)
  const line = exampleInput(settings, pool)
  const overview = ask('get_overview', {}).then(async (day) => {
    const requests = day?.has_requests === true ? await ask('get_requests', {}) : undefined
    return [
      [query('get_overview', {}).queryKey, day],
      [query('get_requests', {}).queryKey, requests],
    ] satisfies Answers
  })
  return allOf([
    overview,
    one(query('get_usage', week).queryKey, ask('get_usage', week)),
    one(query('get_notices', {}).queryKey, ask('get_notices', {})),
    one(topUpsQuery(language).queryKey, ask('get_top_ups', {})),
    one(query('invoices', {}).queryKey, ask('invoices', {})),
    ...(usablePools(user).length === 0
      ? []
      : [one(exampleKey(line, user[pool].password), ask('get_proxy', line))]),
  ])
}

/** Refused reads are left out: their components make them, and show the refusal. */
const allOf = async (asked: readonly Promise<Answers>[]): Promise<Answers> =>
  (await Promise.all(asked)).flat().filter(([, answer]) => answer !== undefined)

const one = async (key: readonly unknown[], asked: Promise<unknown>): Promise<Answers> => [[key, await asked]]
