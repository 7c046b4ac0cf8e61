/** Finds the account of a name, a login, an address or a request, as found in a log line or a complaint. */
import type { Kysely } from 'kysely'
import { accountById, accountCalled, type AccountLine, searchAccounts } from '#accounts'
import { pools } from '#contract/wire'
import type { DB } from '#db'
import { parseId } from '#lib/bigint'
import { canonicalIp } from '#lib/ip'
import { findSubuser } from '#proxies'
import { readUsername } from '#proxies/dialects'
import { requestById } from '#requests'
import { listersOf } from '#whitelist'

/** An account, and the property by which it was found. */
export interface FoundPerson {
  account: AccountLine
  by: string
}

const MOST_NAMED = 50

/** The account number in a text such as “17” or “#17”; null: the text is not a number. */
export const accountNumber = (text: string): bigint | null => parseId(text.replace(/^#/, ''))

/** All accounts that the text may refer to, each once, the most certain first. */
export async function findPeople(db: Kysely<DB>, given: string): Promise<FoundPerson[]> {
  const text = given.trim()
  if (text === '') return []
  const found = new Map<bigint, FoundPerson>()
  const add = (account: AccountLine | null, by: string) => {
    if (account !== null && !found.has(account.id)) found.set(account.id, { account, by })
  }
  const request = await requestById(db, text)
  if (request !== null) add(await accountById(db, request.account), `request ${request.id}, ${request.pool}`)
  const address = canonicalIp(text)
  const login = readUsername(text)?.login ?? null
  for (const pool of pools) {
    const byLogin = login === null ? null : await findSubuser(db, { login, pool })
    if (byLogin !== null) add(await accountById(db, byLogin.accountId), `login ${byLogin.login}`)
  }
  for (const { accountId, pool, isProven } of address === null ? [] : await listersOf(db, address))
    add(await accountById(db, accountId), `${isProven ? 'proven' : 'unproven'} address ${address}, ${pool}`)
  const number = accountNumber(text)
  if (number !== null) add(await accountById(db, number), `account number ${number}`)
  const called = await accountCalled(db, text)
  if (called !== null)
    add(called, text.includes('@') ? `e-mail ${called.email}` : `user name ${called.username}`)
  for (const account of await searchAccounts(db, { text, limit: MOST_NAMED }))
    add(account, 'part of the name or e-mail')
  return [...found.values()]
}
