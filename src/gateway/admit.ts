/**
 * Who is it, and may they? By user name and password; by the client's address where the customer has put it on the
 * whitelist; on a slot port by the address alone, and the port says which settings are meant.
 */

import { readPasswordSettings, readUsername } from '#proxies/dialects'
import { anywhere, multiplierOf, printUsername, type Targeting, withStored } from '#proxies/grammar'
import { passwordMatches, type Credentials, type Presented } from './credentials.ts'
import { refusal, unavailable, type Engine, type Visitor } from './engine.ts'
import type { FeedAccount } from './feed.ts'
import { ProxyRefusal, SOCKS_REPLY } from './refuse.ts'
import type { Trace } from './trace.ts'
import type { Session } from './tunnels.ts'
import { type Known, understand, wrongCredentials } from './understand.ts'

/**
 * Who comes to an entry port without credentials is mostly a client that waits for the 407 before it sends them: it
 * must not wait long for an address that cannot be looked up.
 */
const ADDRESS_PATIENCE_MS = 1000

async function lookUp<T>(engine: Engine, pool: string, looking: Promise<T>): Promise<T> {
  try {
    return await looking
  } catch (fault) {
    engine.log.warn({ err: fault, pool }, 'account lookup failed')
    throw unavailable('accounts_unavailable', 'the account cannot be looked up at present')
  }
}

async function byPassword(
  engine: Engine,
  visitor: Visitor,
  credentials: Credentials,
  trace: Trace,
): Promise<Known> {
  const { pool, address } = visitor
  const waitSeconds = engine.brake.waitSeconds(address, credentials)
  if (waitSeconds > 0) {
    throw new ProxyRefusal({
      ...refusal(429, 'too_many_failures', 'too many wrong passwords came from this address').parts,
      retryAfterSeconds: waitSeconds,
    })
  }
  const { username, digest, tail } = credentials
  const line = readUsername(username)
  const account =
    line === null ? null : await lookUp(engine, pool, engine.accounts.find({ login: line.login, pool }))
  const isWhole = passwordMatches(account, digest)
  if (account === null || !(isWhole || (tail !== null && passwordMatches(account, tail.digest)))) {
    engine.brake.failed(address, credentials)
    throw wrongCredentials()
  }
  engine.brake.succeeded(address, credentials)
  trace.account = account.id
  trace.took('authenticated')
  if (isWhole || tail === null) return await understand(engine, { account, credentials, line })
  const shown = { username, digest: tail.digest, tail: null }
  const behind = readPasswordSettings(username, tail.settings)
  return await understand(engine, { account, credentials: shown, line: behind })
}

/** The account of the client's address, as far as that is known soon enough. */
async function soonByAddress(engine: Engine, visitor: Visitor): Promise<FeedAccount | null> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ADDRESS_PATIENCE_MS)
  })
  const found = engine.accounts.findByAddress(visitor).catch((fault: unknown) => {
    engine.log.warn({ err: fault, pool: visitor.pool }, 'address lookup failed')
    return null
  })
  try {
    return await Promise.race([found, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** On a slot port only the address counts; credentials that a client sends there all the same are not looked at. */
async function atSlot(engine: Engine, visitor: Visitor): Promise<Known> {
  const account = await lookUp(engine, visitor.pool, engine.accounts.findByAddress(visitor))
  if (account === null) {
    const sentence = `the address ${visitor.address} is not on the whitelist of this pool`
    throw new ProxyRefusal({ ...refusal(403, 'address_not_whitelisted', sentence).parts, closes: true })
  }
  return { account, credentials: null, named: anywhere(), understood: null }
}

async function identify(
  engine: Engine,
  visitor: Visitor,
  presented: Presented,
  trace: Trace,
): Promise<Known> {
  if (visitor.slot !== null) return await atSlot(engine, visitor)
  if (typeof presented === 'object') return await byPassword(engine, visitor, presented, trace)
  // Who tries to show something is not let in for another reason: it would hide that it was not understood.
  const account = presented === 'none' ? await soonByAddress(engine, visitor) : null
  if (account === null)
    throw refusal(407, 'credentials_missing', 'this proxy needs a user name and a password')
  return { account, credentials: null, named: anywhere(), understood: null }
}

async function lookUpSettings<T>(engine: Engine, looking: Promise<T>): Promise<T> {
  try {
    return await looking
  } catch (fault) {
    engine.log.warn({ err: fault }, 'stored settings lookup failed')
    throw unavailable('settings_unavailable', 'the stored settings cannot be looked up at present')
  }
}

/** Puts stored settings where the line or the port refers to them: 400 or 403 when there are none. */
async function targetingOf(engine: Engine, slot: number | null, known: Known): Promise<Targeting> {
  const { account, named } = known
  if (slot !== null) {
    const saved = await lookUpSettings(engine, engine.accounts.findSlot({ account, slot }))
    if (saved !== null) return { ...anywhere(), ...saved }
    const sentence = `no line was made for slot ${slot} of this pool yet: generate lines of the format "hostname:port"`
    throw refusal(403, 'slot_unused', sentence)
  }
  const { set } = named
  if (set === null) return named
  const places = await lookUpSettings(engine, engine.stored.find({ login: account.login, set }))
  if (places !== null) return withStored(named, { ...anywhere(), ...places })
  throw refusal(400, 'unknown_set', `there are no stored settings "${set}"`, SOCKS_REPLY.failure)
}

const settingsTexts = new WeakMap<Targeting, string>()

/** The settings as a line of ours says them, without the login. */
function settingsOf(targeting: Targeting): string {
  let text = settingsTexts.get(targeting)
  if (text === undefined) {
    text = printUsername({ login: '', targeting }).slice(1)
    settingsTexts.set(targeting, text)
  }
  return text
}

/** What was found out about credentials lately; worth as much as a new look while nothing has changed. */
const recent = new WeakMap<
  Credentials,
  {
    engine: Engine
    visitor: Visitor
    changes: number
    until: number
    known: Known & { targeting: Targeting }
  }
>()
const RECENT_MS = 5000

/** What is known of these credentials from this address at this port, if that was found out a moment ago. */
function knownLately(engine: Engine, visitor: Visitor, presented: Presented) {
  if (typeof presented !== 'object') return null
  const found = recent.get(presented)
  if (found?.engine !== engine || found.changes !== engine.accounts.changes) return null
  const { pool, address, slot } = found.visitor
  const isSame = visitor.pool === pool && visitor.address === address && visitor.slot === slot
  return isSame && performance.now() < found.until ? found.known : null
}

/** All that is to be known, as it is at one moment: a right that ends while we ask must open nothing. */
async function know(
  engine: Engine,
  visitor: Visitor,
  presented: Presented,
  trace: Trace,
): Promise<Known & { targeting: Targeting }> {
  const lately = knownLately(engine, visitor, presented)
  if (lately !== null) {
    trace.account = lately.account.id
    trace.took('authenticated')
    return lately
  }
  for (;;) {
    const { changes } = engine.accounts
    const known = await identify(engine, visitor, presented, trace)
    trace.account = known.account.id
    trace.took('authenticated')
    if (known.account.blocked) throw refusal(403, 'account_blocked', 'this account is blocked')
    const targeting = await targetingOf(engine, visitor.slot, known)
    if (changes !== engine.accounts.changes) continue
    const all = { ...known, targeting }
    const until = performance.now() + RECENT_MS
    if (typeof presented === 'object') recent.set(presented, { engine, visitor, changes, until, known: all })
    return all
  }
}

/** Known, and with a place among the connections that the customer allows: asking for one takes a moment as well. */
async function knowWithPlace(engine: Engine, visitor: Visitor, presented: Presented, trace: Trace) {
  for (;;) {
    const known = await know(engine, visitor, presented, trace)
    const { changes } = engine.accounts
    const arrive = await engine.permits.enter(known.account)
    if (changes === engine.accounts.changes) return { known, arrive }
    arrive()
  }
}

/**
 * Gives an open session. Refuses with 407 wrong or missing credentials, 429 after too many wrong ones from this address
 * and over the customer's cap on connections,
 * 400 what the user name's grammar does not know, 403 a blocked customer, an address that a slot port does not know and
 * a slot nothing was made for, 503 when the account cannot be looked up.
 */
export async function admit(
  engine: Engine,
  visitor: Visitor,
  presented: Presented,
  trace: Trace,
): Promise<Session> {
  trace.pool = visitor.pool
  const { known, arrive } = await knowWithPlace(engine, visitor, presented, trace)
  const { account, credentials, targeting, understood } = known
  arrive()
  visitor.guest.known()
  trace.multiplier = multiplierOf(targeting)
  trace.settings = settingsOf(targeting)
  if (engine.stopping) throw unavailable('stopping', 'this gateway is being stopped')
  if (!engine.reporter.healthy)
    throw unavailable('journal_full', 'this gateway cannot keep its accounts at present')
  const { purse, letGo } = engine.meter.hold(account.id)
  return engine.tunnels.enter(
    {
      account,
      credentials,
      targeting,
      multiplier: multiplierOf(targeting),
      understood,
      purse,
      clientAddress: visitor.address,
      trace,
      protocol: trace.protocol,
      requestId: trace.id,
    },
    () => {
      letGo()
      engine.permits.left(account.id)
    },
  )
}
