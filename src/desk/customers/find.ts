/**
 * Finds the customer behind a name, a login, an address or a request: everything that a log line or a
 * complaint may contain.
 */
import type { Kysely } from 'kysely'
import { telegramAccount } from '#accounts/telegram'
import { accountById, accountCalled, accountNumber, type AccountLine, searchAccounts } from '#accounts'
import { pools } from '#contract/wire'
import type { DB } from '#db'
import { canonicalIp } from '#lib/ip'
import { findAccess } from '#proxies'
import { readUsername } from '#proxies/dialects'
import { invoiceNamed } from '#purchase'
import { requestById } from '#requests'
import { ownersBelow, usersOfLogin } from '#proxy-users'
import { listersOf } from '#whitelist'

export type FoundBy =
  | 'id'
  | 'name'
  | 'email'
  | 'telegram'
  | 'proxy_login'
  | 'address'
  | 'invoice_number'
  | 'request_id'
  | 'part_of_name'

/** An account, and what it was found by: the kind, and a sentence for the command line. */
export interface FoundPerson {
  account: AccountLine
  kind: FoundBy
  by: string
}

const MOST_NAMED = 50

/**
 * Every account that the text may mean, each once, the most certain first. Without `contacts`, addresses and
 * Telegram names are found only as a whole.
 */
export async function findPeople(
  db: Kysely<DB>,
  given: string,
  { contacts = true } = {},
): Promise<FoundPerson[]> {
  const text = given.trim()
  if (text === '') return []
  const found = new Map<bigint, FoundPerson>()
  const add = (account: AccountLine | null, kind: FoundBy, by: string) => {
    if (account !== null && !found.has(account.id)) found.set(account.id, { account, kind, by })
  }
  for (const { accountId, kind, by } of await exactly(db, text))
    add(await accountById(db, accountId), kind, by)
  const number = accountNumber(text)
  if (number !== null) add(await accountById(db, number), 'id', `account number ${number}`)
  const called = await accountCalled(db, text)
  if (called !== null) {
    const isEmail = text.includes('@')
    add(
      called,
      isEmail ? 'email' : 'name',
      isEmail ? `e-mail ${called.email}` : `user name ${called.username}`,
    )
  }
  if (contacts || !text.includes('@'))
    for (const account of await searchAccounts(db, {
      text,
      limit: MOST_NAMED,
      emails: contacts ? 'part' : 'whole',
    }))
      add(account, 'part_of_name', 'part of the name or e-mail')
  return [...found.values()]
}

/** Accounts by what belongs to them: a request, a login, an address, an invoice, a Telegram user. */
export async function exactly(
  db: Kysely<DB>,
  text: string,
): Promise<{ accountId: bigint; kind: FoundBy; by: string }[]> {
  const found: { accountId: bigint; kind: FoundBy; by: string }[] = []
  const request = await requestById(db, text)
  if (request !== null)
    found.push({
      accountId: request.account,
      kind: 'request_id',
      by: `request ${request.id}, ${request.pool}`,
    })
  const login = readUsername(text)?.login ?? null
  for (const pool of pools) {
    const byLogin = login === null ? null : await findAccess(db, { login, pool })
    if (byLogin !== null)
      found.push({ accountId: byLogin.accountId, kind: 'proxy_login', by: `login ${byLogin.login}` })
  }
  for (const { accessId } of login === null ? [] : await usersOfLogin(db, login))
    for (const pool of pools) {
      const payer = await findAccess(db, { id: accessId, pool })
      if (payer !== null)
        found.push({ accountId: payer.accountId, kind: 'proxy_login', by: `proxy user ${login}, ${pool}` })
    }
  for (const { accountId, login: one } of await ownersBelow(db, text))
    found.push({ accountId, kind: 'proxy_login', by: `proxy user ${one}` })
  const address = canonicalIp(text)
  for (const { accountId, pool, isProven } of address === null ? [] : await listersOf(db, address)) {
    const by = `${isProven ? 'proven' : 'unproven'} address ${address}, ${pool}`
    found.push({ accountId, kind: 'address', by })
  }
  const invoice = await invoiceNamed(db, text)
  if (invoice !== null)
    found.push({ accountId: invoice.accountId, kind: 'invoice_number', by: `invoice ${invoice.number}` })
  const telegram = /^\d{4,18}$/.test(text) ? await telegramAccount(db, BigInt(text)) : null
  if (telegram !== null) found.push({ accountId: telegram.id, kind: 'telegram', by: `Telegram user ${text}` })
  return found
}
