/** What a worker does when the feed tells it that something has changed: what is open must not outlive its right. */

import type { Engine } from './engine.ts'
import type { FeedEvent } from '#feed'
import type { Right } from './sessions.ts'

const ASK_AGAIN_MS = 500

export function hear(engine: Engine, event: FeedEvent): void {
  const { accounts, exits, meter } = engine
  if (event.type === 'lease_recalled') {
    meter.recall(event.account)
  } else if (event.type === 'exits_changed') {
    void exits.refresh()
  } else if (event.type === 'places_changed') {
    engine.places.forget()
  } else if (event.type === 'account_changed') {
    accounts.forget(event.login)
    judgeTunnels(engine, ({ login }) => login === event.login)
  } else if (event.type === 'whitelist_changed') {
    accounts.forgetAddress(event)
    judgeTunnels(engine, ({ pool, address }) => pool === event.pool && address === event.address)
  } else {
    accounts.forgetAll()
    engine.places.forget()
    void exits.refresh()
    judgeTunnels(engine, () => true)
  }
}

/** Looks up whom the rights of open tunnels belong to now, and cuts those that have lost theirs. */
function judgeTunnels(engine: Engine, where: (right: Right) => boolean): void {
  for (const right of engine.tunnels.rights(where)) void judge(engine, right)
}

async function judge(engine: Engine, right: Right): Promise<void> {
  const { accounts, log, permits, tunnels } = engine
  const { login, pool, address } = right
  try {
    const account =
      address === null
        ? await accounts.find(right, 'sure')
        : await accounts.findByAddress({ pool, address }, 'sure')
    const cut = tunnels.judge(right, account)
    if (account !== null) tunnels.cutNewest(account.id, await permits.tooMany(account))
    if (cut > 0) log.info({ login, pool, address, cut }, 'tunnels cut: the account changed')
  } catch (fault) {
    // The feed is away; a revoked right must not outlive that, so we ask until it answers.
    log.warn({ err: fault, pool }, 'account lookup failed')
    const open = tunnels.rights((other) => other.login === login && other.pool === pool).length > 0
    if (open && !engine.stopping) setTimeout(() => void judge(engine, right), ASK_AGAIN_MS).unref()
  }
}
