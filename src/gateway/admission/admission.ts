/**
 * Who is it, and may they? By user name and password; by the client's address where the customer has put it on the
 * whitelist; on a slot port by the address alone, and the port says which settings are meant.
 */

import { performance } from 'node:perf_hooks'
import { readPasswordSettings, readUsername } from '#proxies/dialects'
import { anywhere, type Targeting, withStored } from '#proxies/grammar'
import { passwordMatches, type Credentials, type Presented } from './credentials.ts'
import { refusal, unavailable, type Engine, type Visitor } from '../engine.ts'
import type { FeedAccount } from '#feed'
import { type Admitted, admittedAs, knownLately, rememberLately } from './auth.cache.ts'
import { ProxyRefusal, SOCKS_REPLY } from '../responses/refusal.ts'
import type { Trace } from '../records/trace.ts'
import type { Session } from '../sessions.ts'
import { type Known, understand, wrongCredentials } from './line.settings.ts'

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

function refuseGuesser(engine: Engine, address: string, credentials: Credentials): void {
  const waitSeconds = engine.brake.waitSeconds(address, credentials)
  if (waitSeconds === 0) return
  const sentence = `too many wrong passwords came from ${address}: wait ${waitSeconds} s, or use one that has worked from there`
  throw new ProxyRefusal({
    ...refusal(429, 'too_many_failures', sentence).parts,
    retryAfterSeconds: waitSeconds,
  })
}

/** Which of the two readings of a password is the account's: the whole of it, or what stands before its settings. */
function matchOf(account: FeedAccount | null, { digest, tail }: Credentials): 'whole' | 'tail' | null {
  if (passwordMatches(account, digest)) return 'whole'
  return tail !== null && passwordMatches(account, tail.digest) ? 'tail' : null
}

async function byPassword(
  engine: Engine,
  visitor: Visitor,
  credentials: Credentials,
  trace: Trace,
): Promise<Known> {
  const { pool, address } = visitor
  const startedAt = performance.now()
  refuseGuesser(engine, address, credentials)
  const find = async (login: string, how?: 'anew') => {
    const found = await lookUp(engine, pool, engine.accounts.find({ login, pool }, how))
    // Again, for many may have been let in to here while the account was looked up.
    refuseGuesser(engine, address, credentials)
    return found
  }
  const { username, tail } = credentials
  const line = readUsername(username)
  let account = line === null ? null : await find(line.login)
  let match = matchOf(account, credentials)
  if (line !== null && account !== null && match === null) {
    // A password may be newer than what is known; and without the server nobody can be told that theirs is wrong.
    account = await find(line.login, 'anew')
    match = matchOf(account, credentials)
  }
  if (account === null || match === null) {
    engine.brake.failed(address, credentials)
    await engine.sameTime.due(startedAt)
    throw wrongCredentials(pool)
  }
  engine.brake.succeeded(address, credentials)
  trace.account = account.id
  trace.took('authenticated')
  if (match === 'whole' || tail === null) return await understand(engine, { account, credentials, line })
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
    const sentence = `the address ${visitor.address} is not on the whitelist of the pool ${visitor.pool}: add it in the account`
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
  if (account === null) {
    const { address, pool } = visitor
    const sentence =
      presented === 'none'
        ? `this proxy needs a user name and a password, or your address ${address} on the whitelist of the pool ${pool}`
        : 'the Proxy-Authorization is not understood: this proxy takes Basic with a user name and a password'
    throw refusal(407, presented === 'none' ? 'credentials_missing' : 'credentials_unreadable', sentence)
  }
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

/** All that is to be known, as it is at one moment: a right that ends while we ask must open nothing. */
async function know(engine: Engine, visitor: Visitor, presented: Presented, trace: Trace): Promise<Admitted> {
  for (;;) {
    const { changes } = engine.accounts
    const known = await identify(engine, visitor, presented, trace)
    trace.account = known.account.id
    trace.took('authenticated')
    if (known.account.blocked) throw refusal(403, 'account_blocked', 'this account is blocked')
    const targeting = await targetingOf(engine, visitor.slot, known)
    if (changes !== engine.accounts.changes) continue
    const admitted = admittedAs(known, targeting)
    rememberLately(engine, visitor, presented, { changes, admitted })
    return admitted
  }
}

/** Known, and with a place among the connections that the customer allows: asking for one takes a moment as well. */
async function enterWithPlace(
  engine: Engine,
  visitor: Visitor,
  { presented, lately }: { presented: Presented; lately: Admitted | null },
  trace: Trace,
): Promise<Session> {
  for (let known = lately; ; known = null) {
    known ??= await know(engine, visitor, presented, trace)
    const { changes } = engine.accounts
    const arrive = await engine.permits.enter(known.account)
    arrive()
    if (changes === engine.accounts.changes) return enter(engine, visitor, known, trace)
  }
}

function enter(engine: Engine, visitor: Visitor, admitted: Admitted, trace: Trace): Session {
  const { account, credentials, targeting, multiplier, understood, settings } = admitted
  visitor.guest.known()
  trace.multiplier = multiplier
  trace.settings = settings
  if (engine.stopping) throw unavailable('stopping', 'this gateway is being stopped')
  if (!engine.reporter.healthy)
    throw unavailable('journal_full', 'this gateway cannot keep its accounts at present')
  return engine.tunnels.enter({
    account,
    credentials,
    targeting,
    multiplier,
    understood,
    purse: engine.meter.hold(account.id),
    clientAddress: visitor.address,
    trace,
    protocol: trace.protocol,
    requestId: trace.id,
  })
}

/** What is known of who asks from a moment ago. */
function recall(engine: Engine, visitor: Visitor, presented: Presented, trace: Trace): Admitted | null {
  const lately = knownLately(engine, visitor, presented)
  if (lately === null) return null
  trace.account = lately.account.id
  trace.took('authenticated')
  return lately
}

/**
 * Gives an open session, at once when who asks was known a moment ago. Refuses with 407 wrong or missing credentials,
 * 429 after too many wrong ones from this address and over the customer's cap on connections,
 * 400 what the user name's grammar does not know, 403 a blocked customer, an address that a slot port does not know and
 * a slot nothing was made for, 503 when the account cannot be looked up.
 */
export function admit(
  engine: Engine,
  visitor: Visitor,
  presented: Presented,
  trace: Trace,
): Session | Promise<Session> {
  trace.pool = visitor.pool
  const lately = recall(engine, visitor, presented, trace)
  if (lately === null || engine.permits.counts(lately.account))
    return enterWithPlace(engine, visitor, { presented, lately }, trace)
  return enter(engine, visitor, lately, trace)
}
