/** Lines as a customer orders them: the order is checked, and the lines are made. */
import type { Kysely } from 'kysely'
import type { Parsed } from '#contract/contract'
import { formatLine, maxLines } from '#contract/proxy-lines'
import { placeFault, type PlaceRules } from '#contract/proxy-users/rules'
import { hiddenSecret } from '#contract/view'
import { multiplierOf } from '#contract/traffic'
import { type Pool, pools } from '#contract/wire'
import { type DB, transaction } from '#db'
import { unknownPlaces } from '#inventory'
import { Refusal } from '#lib/refusal'
import { maxUsernameBytes, printUsername, type Targeting } from './grammar.ts'
import { bytesOfLines, newSessions } from './lines.ts'
import { announceSlots, type Secrets, type Access, accessOf, type LineUser } from './proxies.ts'
import { savePlaces, saveSlots } from './saved.ts'
import { readWish, refuseContradictions, refuseUnknown } from './wish.ts'

export interface ProxiesDeps {
  secrets: Secrets
  /**
   * What is left to spend in the pool, and what is reserved for proxy users beside it. Passed in, since the
   * traffic slice depends on this one.
   */
  trafficOf: (db: Kysely<DB>, accountId: bigint, pool: Pool) => Promise<{ free: bigint; reserved: bigint }>
  /**
   * The login and password of a proxy user; refuses with `user_not_found`. Passed in, since the slice of
   * users depends on this one.
   */
  proxyUserOf: (
    db: Kysely<DB>,
    key: { accessId: bigint; number: number },
  ) => Promise<
    {
      id: bigint
      login: string
      password: string | null
      /** What it may use in all, less what it used; null: no limit. */
      leftBytes: bigint | null
      /** Whether these bytes are reserved for it; else the traffic of the pool must cover them too. */
      isReserved: boolean
    } & PlaceRules
  >
  /** The entry port of the first pool; the next ones follow a thousand apart. */
  portBase: number
  /** The number of ports after each entry port that serve lines without credentials. */
  slots: number
  /** Region → host name. */
  hosts: ReadonlyMap<string, string>
  defaultHost: string
}

/**
 * Who orders lines. `isView`: a member of staff who looks at the account; then nothing is stored, and no
 * password is shown.
 */
interface Customer {
  accountId: bigint
  isView: boolean
}

/**
 * Checks all of an order but whether there is traffic for it. Refuses with `no_subuser`, `invalid_quantity`,
 * `invalid_sessionttl`, `invalid_anonymous`, `unknown_location`, `contradictory_targeting`,
 * `user_needs_password`, `user_not_found`, `user_country_denied` and `user_double_tariff`.
 */
export async function checkOrder(
  deps: ProxiesDeps,
  db: Kysely<DB>,
  { accountId, isView }: Customer,
  input: Parsed<'get_proxy'>,
  checks: { traffic: boolean } = { traffic: false },
): Promise<Order> {
  const { quantity, targeting, notAsns } = readWish(input)
  const access = await accessOf(db, deps.secrets, { accountId, pool: input.pool })
  if (access === null) throw new Refusal('no_subuser')
  const traffic = checks.traffic ? await deps.trafficOf(db, accountId, input.pool) : null
  if (traffic !== null && traffic.free + traffic.reserved <= 0n) throw new Refusal('no_traffic')
  const spendable = traffic?.free ?? 0n
  refuseUnknown([...(await unknownPlaces(db, input.pool, targeting)), ...notAsns])
  refuseContradictions(targeting)
  const number = input.proxy_user ?? null
  if (input.format === 'hostname:port' && number !== null) throw new Refusal('user_needs_password')
  if (number === null) return { input, access, targeting, quantity, isView, spendable }
  const { login, password, leftBytes, isReserved, ...rules } = await deps.proxyUserOf(db, {
    accessId: access.id,
    number,
  })
  refusePlaces(rules, targeting)
  const ofUser = leftBytes === null || (!isReserved && spendable < leftBytes) ? spendable : leftBytes
  return { input, access: { ...access, login, password }, targeting, quantity, isView, spendable: ofUser }
}

/** Refuses what a proxy user may not use; `whose` is in the details. */
function refusePlaces(rules: PlaceRules, targeting: Targeting, whose: { number?: number } = {}): void {
  const fault = placeFault(rules, targeting)
  if (fault === 'double tariff') throw new Refusal('user_double_tariff', whose)
  if (fault !== null)
    throw new Refusal('user_country_denied', { ...whose, names: fault.slice(0, 20).join(', ') })
}

/** Lines, and what the traffic that pays for them is worth. */
interface MadeLines {
  /** One text in UTF-8. */
  lines: Buffer
  /** How many times each byte is charged. */
  multiplier: 1 | 2
  /** The bytes that the traffic left can relay through these lines. */
  payloadBytes: bigint
}

/**
 * The lines of an order. With `keepsSlots`, lines without credentials that exist with these settings keep their
 * sessions. Refuses as `checkOrder` does, with `no_traffic`, and as storing the settings does.
 */
export async function makeLines(
  deps: ProxiesDeps,
  db: Kysely<DB>,
  customer: Customer,
  input: Parsed<'get_proxy'>,
  { keepsSlots = false }: { keepsSlots?: boolean } = {},
): Promise<MadeLines> {
  const order = await checkOrder(deps, db, customer, input, { traffic: true })
  const lines =
    input.format === 'hostname:port'
      ? await linesOfSlots(deps, db, order, { keepsSame: keepsSlots })
      : await linesWithPassword(deps, db, order)
  const multiplier = multiplierOf(order.targeting)
  return { lines, multiplier, payloadBytes: order.spendable / BigInt(multiplier) }
}

/**
 * The lines of proxy users, `quantity` for each in their order, as one text, all or none. Refuses as `makeLines`
 * does, and with `user_needs_password` lines without one.
 */
export async function makeLinesOfUsers(
  deps: ProxiesDeps,
  db: Kysely<DB>,
  { customer, users }: { customer: Customer; users: readonly LineUser[] },
  input: Parsed<'get_proxy'>,
): Promise<string> {
  if (input.format === 'hostname:port') throw new Refusal('user_needs_password')
  const order = await checkOrder(deps, db, customer, input, { traffic: true })
  if (order.quantity * users.length > maxLines) throw new Refusal('invalid_quantity')
  for (const { number, ...rules } of users) refusePlaces(rules, order.targeting, { number })
  const texts: string[] = []
  for (const { login, password } of users) {
    const its = { ...order, access: { ...order.access, login, password } }
    texts.push((await linesWithPassword(deps, db, its)).toString())
  }
  return texts.join('\n')
}

interface Order {
  input: Parsed<'get_proxy'>
  access: Access
  targeting: Targeting
  quantity: number
  /** For a member of staff who looks at the account: nothing is stored, and the password is not shown. */
  isView: boolean
  /** The bytes left that pay for the lines. */
  spendable: bigint
}

/** The entry port of a pool's lines. */
export const entryPort = (portBase: number, pool: Pool): number => portBase + 1000 * pools.indexOf(pool)

/** The host and port of the lines: the pool's entry port at the region's host. */
function entryOf(deps: ProxiesDeps, { pool, region }: Order['input']): { hostname: string; port: number } {
  const hostname = deps.hosts.get(region ?? '') ?? deps.defaultHost
  return { hostname, port: entryPort(deps.portBase, pool) }
}

async function linesWithPassword(deps: ProxiesDeps, db: Kysely<DB>, order: Order): Promise<Buffer> {
  const { login, accountId } = order.access
  const password = order.isView ? hiddenSecret : order.access.password
  if (password === null) throw new Refusal('proxy_password_unreadable')
  const isShort = printUsername({ login, targeting: order.targeting }).length <= maxUsernameBytes
  if (!isShort && order.isView) throw new Refusal('view_read_only')
  const targeting = isShort ? order.targeting : await savePlaces(db, accountId, order.targeting)
  const entry = { ...entryOf(deps, order.input), password }
  return bytesOfLines(order.input.format, { login, targeting }, order.quantity, entry)
}

/** Lines without credentials: stores the settings of each port. */
async function linesOfSlots(
  deps: ProxiesDeps,
  db: Kysely<DB>,
  order: Order,
  keeping: { keepsSame: boolean },
): Promise<Buffer> {
  const { access, targeting, quantity, isView } = order
  if (isView) throw new Refusal('view_read_only')
  if (quantity > deps.slots) throw new Refusal('too_many_slots', { limit: deps.slots })
  const settings: Targeting[] =
    targeting.session === null
      ? Array.from({ length: quantity }, () => targeting)
      : newSessions(quantity).map((session) => ({ ...targeting, session }))
  await transaction(db, async (tx) => {
    if (await saveSlots(tx, access.id, settings, keeping)) await announceSlots(tx, access.login)
  })
  const { hostname, port } = entryOf(deps, order.input)
  const lines = settings.map((_, index) =>
    formatLine('hostname:port', { hostname, port: port + index + 1, login: '', password: '' }),
  )
  return Buffer.from(lines.join('\n'))
}
