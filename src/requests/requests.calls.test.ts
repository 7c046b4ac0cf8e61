import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RequestRecord } from '#feed'
import { app, type App, type Customer, refusalOf } from '#test/app'
import { batchOf } from '#test/connections'
import { keepRequests } from './requests.ts'

let shop: App
let customer: Customer
beforeAll(async () => {
  shop = await app()
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'mobile', gb: 1 })
})
afterAll(() => shop.close())

/** Stores the record of a customer's request. */
async function keep(rest: Partial<RequestRecord>): Promise<string> {
  const id = randomUUID()
  const { access } = await shop.database.db
    .selectFrom('access')
    .innerJoin('account', 'account.id', 'access.account_id')
    .where('account.username', '=', customer.username)
    .select('access.id as access')
    .executeTakeFirstOrThrow()
  const record: RequestRecord = {
    id,
    access,
    at_ms: Date.now(),
    protocol: 'socks5',
    target: 'example.com:443',
    settings: 'cc-us-st-us_ca',
    multiplier: 2,
    country: 'us',
    exit: 3n,
    authenticated_ms: 1,
    exit_chosen_ms: 2,
    connected_ms: null,
    first_byte_ms: null,
    ended_ms: 50,
    outcome: 'refused',
    status: 403,
    code: 'target_refused_by_exit',
    sentence: 'the exit does not serve this target',
    exit_status: null,
    exit_word: null,
    up_bytes: 0n,
    down_bytes: 0n,
    charged_up_bytes: 0n,
    charged_down_bytes: 0n,
    ...rest,
  }
  await keepRequests(shop.database.db, batchOf([record]), { now: new Date() })
  return id
}

it('explain_request returns the steps, the refusal, the exit’s own reason, and the cost', async () => {
  const id = await keep({ exit_status: 403, exit_word: 'SITE_PERMANENTLY_BLOCKED' })
  expect(await customer.call('explain_request', { id })).toMatchObject({
    pool: 'mobile',
    protocol: 'socks5',
    target: 'example.com:443',
    outcome: 'refused',
    refusal: { status: 403, code: 'target_refused_by_exit', sentence: 'the exit does not serve this target' },
    exit_said: { status: 403, word: 'SITE_PERMANENTLY_BLOCKED' },
    timeline_ms: { authenticated: 1, exit_chosen: 2, connected: null, first_byte: null, ended: 50 },
    charged_bytes: { up: 0, down: 0 },
  })
})

it('explain_request returns the charge and the tariff of a successful request', async () => {
  const id = await keep({
    outcome: 'done',
    status: null,
    code: null,
    sentence: null,
    connected_ms: 20,
    first_byte_ms: 30,
    up_bytes: 10n,
    down_bytes: 7n,
    charged_up_bytes: 20n,
    charged_down_bytes: 14n,
  })
  expect(await customer.call('explain_request', { id })).toMatchObject({
    refusal: null,
    exit_said: null,
    multiplier: 2,
    bytes: { up: 10, down: 7 },
    charged_bytes: { up: 20, down: 14 },
    forgiven_bytes: 0,
  })
})

it('explain_request returns the forgiven bytes of a failure', async () => {
  const id = await keep({ outcome: 'target_failed', up_bytes: 1000n, charged_up_bytes: 600n })
  expect(await customer.call('explain_request', { id })).toMatchObject({
    bytes: { up: 1000, down: 0 },
    charged_bytes: { up: 600, down: 0 },
    forgiven_bytes: 700,
  })
})

it('explain_request answers other customers that there is no such request, with a session or an API token', async () => {
  const id = await keep({})
  const stranger = await shop.customer()
  await shop.buy(stranger, { pool: 'mobile', gb: 1 })
  const program = shop.client(await stranger.call('reseller_token', {}))
  for (const call of [stranger.call, program]) {
    const another = await refusalOf(call('explain_request', { id }))
    const nobodys = await refusalOf(call('explain_request', { id: randomUUID() }))
    expect(another).toMatchObject({ status: 404, code: 'request_not_found' })
    // The answer does not disclose whether another customer has made the request.
    expect([another.message, another.details]).toEqual([nobodys.message, nobodys.details])
  }
  expect(await refusalOf(shop.anyone('explain_request', { id }))).toMatchObject({ status: 401 })
})
