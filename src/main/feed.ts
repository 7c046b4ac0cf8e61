/** The feed over the database, for the gateways of this process tree and, with FEED_LISTEN, for others. */
import { readFileSync } from 'node:fs'
import type { Registry } from 'prom-client'
import type { Pool } from '#contract/wire'
import { isDatabaseAway } from '#db'
import { listExits } from '#exits'
import { listenFeed } from '#feed/listen'
import { countriesOf, placesNamed, strangePlaces } from '#inventory'
import { findAccess, savedSlot, savedTargeting } from '#proxies'
import { keepRequests, withholdsHosts } from '#requests'
import { createFeed, hasTraffic, leasedBy, openGatewayKeys, type TrafficFeed } from '#traffic'
import { addressesToProve, proveAddress, whitelistedAccess } from '#whitelist'
import { refusedTeller, setBackTeller } from './health/database.ts'
import { DatabaseState } from './health/database.state.ts'
import type { Services } from './services.ts'
import { SettingFault } from './settings/settings.ts'
import { printFeedAddress } from './settings/settings.feed.ts'
import type { Stopper } from './process/stop.ts'

/** Opens a feed that ends with the process, for gateways of this machine or of others. */
export async function openFeed(
  services: Services,
  stopper: Stopper,
  { isOfThisMachine, registry }: { isOfThisMachine: boolean; registry: Registry | null },
): Promise<TrafficFeed> {
  const onRefused = refusedTeller(services.log, registry)
  const feed = await createFeed(services.database, {
    isOfThisMachine,
    zone: services.settings.desk.zone,
    onSetBack: setBackTeller(services.log, registry),
    onRefused,
    placesNamed,
    countriesOf: countriesOfPools(),
    strangePlaces,
    keepRequests: (db, batch, times) =>
      keepRequests(db, batch, {
        ...times,
        log: services.settings.connectionLog,
        leasedBy,
        onForged: (count, gateway) =>
          onRefused(new Error(`${count} records of connections of accesses that it has not leased`), gateway),
      }),
    withholdsHosts,
    findAccess,
    savedTargeting,
    savedSlot,
    whitelistedAccess: (db, key) => whitelistedAccess(db, key, { hasTraffic }),
    addressesToProve,
    proveAddress,
    listExits: (db) =>
      listExits(db, services.secrets, ({ pool, name }) =>
        services.log.error({ pool, exit: name }, 'an exit is out of order: its password cannot be unsealed'),
      ),
  })
  stopper.add('the feed', () => feed.close())
  return feed
}

const countriesKnownMs = 60_000

/** The countries of pools, each read once a minute. */
function countriesOfPools(): NonNullable<Parameters<typeof createFeed>[1]['countriesOf']> {
  const known = new Map<string, { at: number; countries: ReturnType<typeof countriesOf> }>()
  return (db, pool) => {
    const last = known.get(pool)
    if (last !== undefined && performance.now() - last.at < countriesKnownMs) return last.countries
    const countries = countriesOf(db, { pool: pool as Pool, language: 'en' })
    known.set(pool, { at: performance.now(), countries })
    countries.catch(() => known.delete(pool))
    return countries
  }
}

/** Serves other gateways at FEED_LISTEN; returns the address, or null when it is not set. */
export async function startFeed(
  services: Services,
  stopper: Stopper,
  { registry }: { registry: Registry | null },
): Promise<string | null> {
  const { listen } = services.settings.feed
  if (listen === null) return null
  const { address, files, token } = listen
  const tls = files === null ? null : { cert: readPem(files.cert), key: readPem(files.key) }
  const feed = await openFeed(services, stopper, { isOfThisMachine: false, registry })
  const name = printFeedAddress(address)
  const state = new DatabaseState(services.database)
  stopper.add('the looks at the database', async () => state.close())
  const onRefused = (from: string, fault: Error) =>
    services.log.warn({ from, reason: fault.message }, 'a connection to the feed was refused')
  const keys = await openGatewayKeys(services.database.db, {
    shared: token,
    feed,
    onFault: (fault) => services.log.warn({ err: fault }, 'the tokens of gateways were not read again'),
  })
  stopper.add('the tokens of gateways', async () => keys.close())
  const onUnknown = (what: string) =>
    services.log.info(
      { what },
      'a gateway of a later release sends what this one does not know: it is ignored',
    )
  const door = await listenFeed({
    feed,
    address,
    keys,
    tls,
    onRefused,
    onUnknown,
    state,
    isAway: isDatabaseAway,
  }).catch((error: unknown) => {
    const { code } = error as { code?: string }
    if (code === undefined) throw error
    throw new SettingFault(`FEED_LISTEN: cannot listen on ${name} (${code}).`)
  })
  stopper.add('the feed for other machines', () => door.close())
  return name
}

/** A PEM file that a setting names. */
export function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingFault(`${file} cannot be read (${(error as { code?: string }).code}).`)
  }
}
