/**
 * How an operator handles a complaint: a request's id, a login or an address leads to the customer, and to
 * nobody else.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestRecord } from '#feed'
import { findAccess } from '#proxies'
import { keepRequests } from '#requests'
import { type App, app, type Customer, refusalOf } from '#test/app'
import { batchOf } from '#test/connections'
import { openTerminal, type Terminal } from '#test/terminal'
import { requestCommands } from './requests.ts'
import { customerCommands } from './customers.ts'

let shop: App
let terminal: Terminal
let innocent: Customer
let abuser: Customer
let account: number
let access: bigint
let login: string
let id: string

beforeAll(async () => {
  shop = await app()
  terminal = openTerminal(shop.database, [requestCommands, customerCommands])
  innocent = await shop.customer()
  abuser = await shop.customer()
  await shop.buy(abuser, { pool: 'mobile', gb: 1 })
  const [profile] = await abuser.call('legacy_profile', {})
  account = Number(profile?.user_id)
  const found = await findAccess(shop.database.db, { accountId: BigInt(account), pool: 'mobile' })
  if (found === null) throw new Error('the abuser has no access to the pool')
  access = found.id
  login = found.login
  id = await keep()
})
afterAll(async () => {
  terminal.close()
  await shop.close()
})

async function keep(rest: Partial<RequestRecord> = {}): Promise<string> {
  const record: RequestRecord = {
    id: randomUUID(),
    access,
    at_ms: Date.now(),
    protocol: 'connect',
    target: 'victim.example:443',
    settings: 'cc-us',
    multiplier: 2,
    country: 'us',
    exit: 3n,
    authenticated_ms: 1,
    exit_chosen_ms: 2,
    connected_ms: 3,
    first_byte_ms: 4,
    ended_ms: 50,
    outcome: 'done',
    status: null,
    code: null,
    sentence: null,
    exit_status: null,
    exit_word: null,
    up_bytes: 10n,
    down_bytes: 7n,
    charged_up_bytes: 20n,
    charged_down_bytes: 14n,
    ...rest,
  }
  await keepRequests(shop.database.db, batchOf([record]), { now: new Date() })
  return record.id
}

const accountOf = async ({ call }: Customer) => Number((await call('legacy_profile', {}))[0]?.user_id)

describe('turnpike requests show', () => {
  it('names the customer, whose number differs from that of their access', async () => {
    // The access has the number of the innocent customer's account: confusing the two blocks the wrong
    // customer.
    expect(Number(access)).toBe(await accountOf(innocent))
    expect(await terminal.data('requests', 'show', id)).toMatchObject({
      account,
      username: abuser.username,
      email: abuser.email,
      blocked: false,
      access: Number(access),
      login,
      pool: 'mobile',
      target: 'victim.example:443',
      outcome: 'done',
      exit: 3,
      exit_name: null,
      up_bytes: 10,
      down_bytes: 7,
      charged_bytes: 34,
      forgiven_bytes: 0,
    })
    const table = await terminal.run('requests', 'show', id)
    expect(table).toMatch(new RegExp(`^account +${account}$`, 'm'))
    expect(table).toMatch(new RegExp(`^username +${abuser.username}$`, 'm'))
    expect(table).toMatch(/^charged bytes +34$/m)
    const forgiven = await keep({
      outcome: 'target_failed',
      down_bytes: 0n,
      charged_up_bytes: 6n,
      charged_down_bytes: 0n,
    })
    expect(await terminal.data('requests', 'show', forgiven)).toMatchObject({
      up_bytes: 10,
      charged_bytes: 6,
      forgiven_bytes: 7,
    })
  })

  it.each([randomUUID(), 'nonsense', ''])('says of %j that there is no record', async (unknown) => {
    await expect(terminal.run('requests', 'show', unknown)).rejects.toThrow('There is no record')
  })
})

describe('turnpike customers find', () => {
  const findings = async (text: string) =>
    ((await terminal.data('customers', 'find', text)) as { user_id: number; found_by: string }[]).map(
      ({ user_id, found_by }) => [user_id, found_by],
    )

  it('finds accounts by every identifier in a log line or a complaint', async () => {
    await abuser.call('add_ip_to_whitelist', { pool: 'mobile', ip: '9.9.9.7' })
    const address = [account, 'unproven address 9.9.9.7, mobile']
    expect(await findings(id)).toEqual([[account, `request ${id}, mobile`]])
    expect(await findings(login)).toEqual([[account, `login ${login}`]])
    expect(await findings(`${login}-cc-us-sid-x`)).toEqual([[account, `login ${login}`]])
    expect(await findings('9.9.9.7')).toEqual([address])
    expect(await findings('::ffff:9.9.9.7')).toEqual([address])
    expect(await findings(abuser.email)).toEqual([[account, `e-mail ${abuser.email}`]])
    expect(await findings(abuser.username.toUpperCase())).toEqual([[account, `user name ${abuser.username}`]])
    expect(await findings(`#${account}`)).toEqual([[account, `account number ${account}`]])
    expect(await findings('@example.com')).toHaveLength(2)
    expect(await findings('203.0.113.9')).toEqual([])
    expect(await terminal.run('customers', 'find', 'nobody-at-all')).toBe('No customer matches.\n')
  })

  it('finds the account that is then blocked', async () => {
    const [found] = (await terminal.data('customers', 'find', id)) as { user_id: number }[]
    await terminal.run('customers', 'block', `#${found?.user_id}`)
    expect(await refusalOf(abuser.call('legacy_profile', {}))).toMatchObject({ status: 401 })
    expect(await accountOf(innocent)).toBe(Number(access))
  })

  it('never guesses between a number and a user name', async () => {
    const number = '1234567'
    await shop.database.pool.query('alter table account alter id restart with 1234567')
    const numbered = await shop.customer()
    await shop.customer(number)
    expect(await accountOf(numbered)).toBe(Number(number))
    await expect(terminal.run('customers', 'block', number)).rejects.toThrow(
      `write #${number} for the number`,
    )
    expect((await findings(number)).map(([, by]) => by)).toEqual([
      `account number ${number}`,
      `user name ${number}`,
    ])
    await terminal.run('customers', 'block', `#${number}`)
    expect(await refusalOf(numbered.call('legacy_profile', {}))).toMatchObject({ status: 401 })
  })
})
