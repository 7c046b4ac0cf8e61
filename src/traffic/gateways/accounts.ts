/** Accounts and proxy users as gateways know them. */
import type { Kysely } from 'kysely'
import { countryCodes } from '#contract/countries'
import type { DB } from '#db'
import type { FeedAccount, FeedEnded, FeedLimits, FeedUser, PortKind } from '#feed'
import { isProxyUserLogin } from '#feed/user.ids'
import { limitsOf, type PoolLimits } from '#limits'
import { type Ended, endedOf, findAccess } from '#proxies'
import { gatewayUser, gatewayUsersByLogin, type ProxyUser } from '#proxy-users'

interface FeedAccess {
  id: bigint
  accountId: bigint
  login: string
  pool: string
  passwordSha256: Uint8Array
  blocked: boolean
  hasEnded?: boolean
}

/** The functions of other slices that accounts are made of. */
export interface AccountDeps {
  /** The access with this login in this pool, of any account; null when there is none. */
  findAccess: (db: Kysely<DB>, key: { login: string; pool: string }) => Promise<FeedAccess | null>
  /** The access whose whitelist has this client address, for such a port of this pool, or null. */
  whitelistedAccess: (
    db: Kysely<DB>,
    key: { pool: string; address: string; port: PortKind },
  ) => Promise<(FeedAccess & { proxyUserId?: bigint | null }) | null>
  /**
   * The addresses on the whitelists of the access's customer that a connection from them would prove; of a
   * proxy user, those that stand for it.
   */
  addressesToProve: (db: Kysely<DB>, accessId: bigint) => Promise<string[]>
  /** Whether the customer wants that no host is reported or stored. */
  withholdsHosts: (db: Kysely<DB>, accountId: bigint) => Promise<boolean>
  /** The countries of a pool, with their number of addresses. Missing: none are known. */
  countriesOf?: (db: Kysely<DB>, pool: string) => Promise<{ code: string; count: number }[]>
}

async function accountOf(
  db: Kysely<DB>,
  deps: Pick<AccountDeps, 'withholdsHosts'>,
  finding: Promise<FeedAccess | null>,
): Promise<FeedAccount | null> {
  const access = await finding
  return access === null ? null : accountOfAccess(db, deps, access)
}

async function accountOfAccess(
  db: Kysely<DB>,
  deps: Pick<AccountDeps, 'withholdsHosts'>,
  access: FeedAccess,
): Promise<FeedAccount> {
  const { id, accountId: owner, login, pool, passwordSha256, blocked } = access
  const password_sha256 = Buffer.from(passwordSha256).toString('hex')
  const limits = feedLimits(await limitsOf(db, id))
  const ended = access.hasEnded === true ? endedFor((await endedOf(db, [id])).get(id)) : {}
  const account = { access: id, owner, login, pool, password_sha256, blocked, limits, ...ended }
  return (await deps.withholdsHosts(db, owner)) ? { ...account, withholds_hosts: true } : account
}

function endedFor(ended: Ended | undefined): { ended?: FeedEnded } {
  if (ended === undefined) return {}
  const { allMs, sessions, requests } = ended
  const wire = sessions.map(({ name, times, atMs }) => ({ name, times, at_ms: atMs }))
  return { ended: { all_ms: allMs, sessions: wire, requests } }
}

/**
 * Proxy users as the accounts of clients, in the order of the keys; their accesses are looked up once.
 */
export async function accountsOfUsers(
  db: Kysely<DB>,
  deps: Pick<AccountDeps, 'withholdsHosts' | 'addressesToProve' | 'countriesOf'>,
  keys: readonly { login: string; pool: string }[],
): Promise<(FeedAccount | null)[]> {
  const users = await gatewayUsersByLogin(
    db,
    keys.map(({ login }) => login),
  )
  const payers = new Map<string, Promise<{ access: FeedAccess; payer: FeedAccount } | null>>()
  const payerOf = (pool: string, accessId: bigint) => {
    const name = `${pool} ${accessId}`
    const known =
      payers.get(name) ??
      findAccess(db, { pool, id: accessId }).then(async (access) =>
        access === null ? null : { access, payer: await accountOfAccess(db, deps, access) },
      )
    payers.set(name, known)
    return known
  }
  const withEnded = [...users.values()].flat().filter(({ hasEnded }) => hasEnded)
  const ended = await endedOf(
    db,
    withEnded.map(({ id }) => id),
  )
  /** The proxy user with the login in the pool, of those that share it. */
  const inPool = async ({ login, pool }: { login: string; pool: string }) => {
    for (const user of users.get(login) ?? []) {
      const found = await payerOf(pool, user.accessId)
      if (found !== null) return { user, found }
    }
    return null
  }
  return Promise.all(
    keys.map(async (key) => {
      const known = await inPool(key)
      if (known === null) return null
      const { user, found } = known
      const toProve = user.listsAddresses ? await deps.addressesToProve(db, user.id) : []
      const denied = await deniedOf(db, deps, user, key.pool)
      const account = { ...accountOfUser(user, { ...found, denied }), ...endedFor(ended.get(user.id)) }
      return toProve.length === 0 ? account : { ...account, to_prove: toProve }
    }),
  )
}

/** The account, or the proxy user, that a client's address stands for. */
export async function accountAt(
  db: Kysely<DB>,
  deps: Pick<AccountDeps, 'whitelistedAccess' | 'withholdsHosts' | 'countriesOf'>,
  key: { pool: string; address: string; port: PortKind },
): Promise<FeedAccount | null> {
  const access = await deps.whitelistedAccess(db, key)
  if (access === null) return null
  const { proxyUserId = null } = access
  const user = proxyUserId === null ? null : await gatewayUser(db, proxyUserId)
  if (user === null && proxyUserId !== null) return null
  const payer = await accountOfAccess(db, deps, access)
  if (user === null) return payer
  const ended = user.hasEnded ? endedFor((await endedOf(db, [user.id])).get(user.id)) : {}
  const denied = await deniedOf(db, deps, user, key.pool)
  return { ...accountOfUser(user, { access, payer, denied }), ...ended }
}

/** The countries that are denied, and those that an exit may choose from instead. */
async function deniedOf(
  db: Kysely<DB>,
  { countriesOf }: Pick<AccountDeps, 'countriesOf'>,
  { deniedCountries }: ProxyUser,
  pool: string,
): Promise<Pick<FeedUser, 'denied_countries' | 'other_countries'>> {
  if (deniedCountries.length === 0) return {}
  const known = (await countriesOf?.(db, pool)) ?? []
  const all = known.length > 0 ? known : countryCodes.map((code) => ({ code, count: 1 }))
  const others = all.filter(({ code, count }) => count > 0 && !deniedCountries.includes(code))
  return {
    denied_countries: deniedCountries,
    other_countries: others.map(({ code, count }) => ({ code, count })),
  }
}

function accountOfUser(
  user: ProxyUser,
  {
    access,
    payer,
    denied,
  }: {
    access: FeedAccess
    payer: FeedAccount
    denied: Pick<FeedUser, 'denied_countries' | 'other_countries'>
  },
): FeedAccount {
  // Ending connections of the account's own login ends none of its proxy users.
  const { ended: _ended, ...rest } = payer
  return {
    ...rest,
    access: user.id,
    login: user.login,
    password_sha256: user.passwordSha256.toString('hex'),
    limits: withConnections(payer.limits, user.connections),
    user: {
      parent: access.login,
      frozen: user.frozenAt !== null,
      expires_ms: user.expiresAt?.getTime() ?? null,
      allowed_hosts: user.allowedHosts,
      countries: user.countries,
      ...denied,
      ...(user.noDoubleTariff ? { no_double_tariff: true as const } : {}),
      addresses: user.addresses,
    },
  }
}

/** The limits of the account with the lower of the two caps on connections. */
function withConnections(limits: FeedLimits | null, connections: number | null): FeedLimits | null {
  if (connections === null) return limits
  if (limits === null) return { connections, allowed_hosts: [], denied_hosts: [], data_saver: false }
  return { ...limits, connections: Math.min(connections, limits.connections ?? connections) }
}

/** Adds the addresses that a connection with the account's password proves. */
export async function accountToProve(
  db: Kysely<DB>,
  deps: Pick<AccountDeps, 'findAccess' | 'addressesToProve' | 'withholdsHosts' | 'countriesOf'>,
  key: { login: string; pool: string },
): Promise<FeedAccount | null> {
  if (isProxyUserLogin(key.login)) return (await accountsOfUsers(db, deps, [key]))[0] ?? null
  const account = await accountOf(db, deps, deps.findAccess(db, key))
  if (account === null) return null
  const toProve = await deps.addressesToProve(db, account.access)
  return toProve.length === 0 ? account : { ...account, to_prove: toProve }
}

function feedLimits(limits: PoolLimits | null): FeedLimits | null {
  if (limits === null) return null
  const { connections, allowedHosts, deniedHosts, dataSaver } = limits
  return { connections, allowed_hosts: allowedHosts, denied_hosts: deniedHosts, data_saver: dataSaver }
}
