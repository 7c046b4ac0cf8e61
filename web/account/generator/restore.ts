/** Settings of presets as the generator has them: what the shop no longer offers is left out and named. */
import type { Output } from '#contract/contract'
import { builtInProvider } from '#contract/wire'
import { query, queryClient } from '../../state/reads/queries.ts'
import { defaultSettings, type Settings } from '../panel/settings.ts'
import type { Preset, Restored } from './wish.ts'

type Stored = Preset['settings']

interface Offered {
  countries: Output<'proxy_countries'>
  states: Output<'proxy_states'>
  cities: Output<'proxy_cities'>
  asns: Output<'proxy_asns'>
  zipcodes: Output<'proxy_zipcodes'>
  users: readonly { number: number }[]
}

const texts = (list: readonly (string | number)[] | null | undefined) =>
  (list ?? []).map((each) => String(each).trim().toLowerCase())

/** The settings of a preset, as far as the shop still offers them. */
export function restoreFrom(
  { pool, settings: stored }: Pick<Preset, 'pool' | 'settings'>,
  offered: Offered,
): Restored {
  const missing: string[] = []
  const keep = <T>(
    wanted: readonly string[],
    list: readonly T[],
    idOf: (item: T) => string,
    show = (id: string) => id,
  ) => {
    const known = new Map(list.map((item) => [idOf(item), item]))
    return wanted.flatMap((id) => {
      const item = known.get(id)
      if (item === undefined) missing.push(show(id))
      return item === undefined ? [] : [item]
    })
  }
  const asnIds = (list: Stored['included_asns']) => texts(list).map((id) => id.replace(/^as/, ''))
  const asns = (list: Stored['included_asns']) =>
    keep(
      asnIds(list),
      offered.asns,
      ({ asn }) => String(asn),
      (id) => `AS${id}`,
    ).map(({ asn, name }) => ({ asn, name }))
  const number = stored.proxy_user ?? null
  const isUserGone = number !== null && !offered.users.some((user) => user.number === number)
  const settings: Settings = {
    ...defaultSettings,
    pool,
    countries: keep(
      texts(stored.countries),
      offered.countries,
      ({ code }) => code.toLowerCase(),
      (id) => id.toUpperCase(),
    ).map(({ code, name }) => ({ code, name })),
    states: keep(texts(stored.states), offered.states, ({ code }) => code).map(
      ({ code, name, country_code }) => ({
        code,
        name,
        country_code,
      }),
    ),
    cities: keep(texts(stored.cities), offered.cities, ({ code }) => code).map(
      ({ code, name, state_code, country_code }) => ({ code, name, state_code, country_code }),
    ),
    zipcodes: keep(texts(stored.zipcodes), offered.zipcodes, ({ code }) => code.toLowerCase()).map(
      ({ code }) => code,
    ),
    included_asn: asns(stored.included_asns),
    excluded_asn: asns(stored.excluded_asns),
    anon: String(stored.anonymous).trim().toLowerCase() === 'true',
    session_type: stored.type === 'sticky' ? 'sticky' : 'rotating',
    access_format: stored.format,
    protocol: stored.protocol,
    proxy_amount: Number(stored.quantity ?? 0),
    interval: Number(stored.sessionttl ?? 0),
    region: stored.region ?? defaultSettings.region,
  }
  return { settings, proxyUser: isUserGone ? null : number, missing, isUserGone }
}

/** Reads what is offered for a preset, and restores it. Rejects when a list cannot be read. */
export async function restore(preset: Preset): Promise<Restored> {
  const { pool, settings: stored } = preset
  const countries = texts(stored.countries)
  const inPool = { provider: builtInProvider, pool }
  const offeredCountries = await queryClient.fetchQuery(query('proxy_countries', inPool))
  const known = countries.filter((code) => offeredCountries.some((each) => each.code.toLowerCase() === code))
  const isSomewhere = known.length > 0
  const inCountries = { ...inPool, countries: known }
  const [states, cities, asns, zipcodes, users] = await Promise.all([
    isSomewhere ? queryClient.fetchQuery(query('proxy_states', inCountries)) : [],
    isSomewhere ? queryClient.fetchQuery(query('proxy_cities', { ...inCountries, states: null })) : [],
    isSomewhere
      ? queryClient.fetchQuery(query('proxy_asns', { ...inCountries, states: null, cities: null }))
      : [],
    isSomewhere ? queryClient.fetchQuery(query('proxy_zipcodes', { ...inCountries, states: null })) : [],
    stored.proxy_user == null ? [] : usersOf(pool, stored.proxy_user),
  ])
  return restoreFrom(preset, { countries: offeredCountries, states, cities, asns, zipcodes, users })
}

const usersOf = async (pool: Preset['pool'], number: number) =>
  (await queryClient.fetchQuery(query('get_proxy_users', { pool, number }))).users
