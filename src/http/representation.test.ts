/** Calls that answer with text, or with JSON where the program prefers it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/contract'
import { descriptions } from '#contract/openapi/descriptions'
import { type Name, pathOf } from '#contract/wire'
import { seedDemoInventory } from '#inventory'
import { type App, app, type Customer } from '#test/app'
import { FakeBtcpay } from '#test/processors/btcpay'
import { prefersJson } from './representation.ts'

const btcpay = new FakeBtcpay()
let shop: App
let customer: Customer
beforeAll(async () => {
  await btcpay.start()
  shop = await app({ methods: [btcpay.method()] })
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 1 })
})
afterAll(async () => {
  await shop.close()
  btcpay.stop()
})

const ask = (name: Name, input: object, headers: Record<string, string> = {}) =>
  fetch(`${shop.origin}${pathOf(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
  })
const json = { accept: 'application/json' }
const lines = { ...descriptions.get_proxy.input, quantity: 3, countries: null }
const order = (method: string) => ({ payment_method: method, amount: 7, pool: 'residential' })

it.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/plain', false],
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/*', true],
  ['application/json, */*;q=0.5', true],
  // JSON is accepted only as much as anything else: such programs have always got text.
  ['application/json, text/plain, */*', false],
  ['application/json, */*', false],
  ['application/json;q=0.5, text/plain', false],
  ['application/json;q=0', false],
  ['application/json;q=none', false],
])('Accept: %s prefers JSON: %s', (accept, isJson) => {
  expect(prefersJson(accept)).toBe(isJson)
})

describe('proxy lines', () => {
  it('are text unless JSON is preferred, and say that they depend on it', async () => {
    for (const headers of [{}, { accept: '*/*' }]) {
      const answer = await ask('get_proxy', lines, headers)
      expect([answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([
        'text/plain; charset=utf-8',
        'accept',
      ])
      expect((await answer.text()).split('\n')).toHaveLength(3)
    }
    const answer = await ask('get_proxy', lines, json)
    expect([answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([
      'application/json; charset=utf-8',
      'accept',
    ])
    const made = (await answer.json()) as { lines: string[]; multiplier: number; payload_bytes: number }
    expect(made).toMatchObject({ multiplier: 1, payload_bytes: 1_000_000_000 })
    expect(made.lines).toHaveLength(3)
    for (const line of made.lines) expect(line).toMatch(/^\S+:\S+@\S+:\d+$/)
  })

  it('state what is charged for a city, and what a proxy user has left', async () => {
    const worth = async (more: object) => {
      const answer = await ask('get_proxy', { ...lines, ...more }, json)
      const { multiplier, payload_bytes: bytes } = (await answer.json()) as Record<string, unknown>
      const text = await ask('get_proxy', { ...lines, ...more })
      const headers = ['x-traffic-multiplier', 'x-payload-bytes'].map((name) =>
        Number(text.headers.get(name)),
      )
      expect(headers).toEqual([multiplier, bytes])
      return headers
    }
    await seedDemoInventory(shop.database)
    const state = { countries: ['us'], states: ['us_ca'] }
    expect(await worth(state)).toEqual([2, 500_000_000])
    const made = async (label: string, reserved: boolean, bytes: number) =>
      (await customer.call('create_proxy_user', { pool: 'residential', label, reserved, total_bytes: bytes }))
        .number
    const reserved = await made('reserved', true, 300_000_000)
    expect(await worth({ proxy_user: reserved })).toEqual([1, 300_000_000])
    // What is reserved is no longer the account's own.
    expect(await worth(state)).toEqual([2, 350_000_000])
    const [small, large] = [await made('small', false, 9000), await made('large', false, 10 ** 12)]
    expect(await worth({ ...state, proxy_user: small })).toEqual([2, 4500])
    expect(await worth({ proxy_user: large })).toEqual([1, 700_000_000])
  })

  it('to an API token depend on the token too', async () => {
    const token = await customer.call('reseller_token', {})
    const answer = await ask('get_proxy', lines, { ...json, authorization: `Bearer ${token}` })
    expect(answer.headers.get('vary')).toBe('authorization, accept')
  })
})

describe('an order', () => {
  it('answers with the invoice, and with the address and amount of its cryptocurrency', async () => {
    const answer = await ask('create_invoice_web', order('crypto'), json)
    const made = (await answer.json()) as Record<string, unknown>
    const [theirs] = [...btcpay.invoices.values()].slice(-1)
    expect(answer.headers.get('x-invoice-id')).toBe(made['number'])
    const address = `bc1q${theirs?.id.toLowerCase()}`
    expect(made).toMatchObject({
      gb: 7,
      pool: 'residential',
      state: 'pending',
      payment_url: theirs?.checkoutLink,
      pay_to: [{ network: 'BTC-CHAIN', currency: 'BTC', address, amount: expect.stringMatching(/^0\.\d+$/) }],
    })
    const { pay_to: _, ...invoice } = made
    expect(contract.invoice.output.safeParse({ ...invoice, credited: '0' }).error).toBeUndefined()
  })

  it('gives the page alone where the method reports no address, or cannot be asked', async () => {
    const sandbox = await ask('create_invoice_web', order('sandbox'), json)
    expect(await sandbox.json()).toMatchObject({
      pay_to: [],
      payment_url: expect.stringContaining('/sandbox/'),
    })
    btcpay.trouble('none', 500)
    const unanswered = await ask('create_invoice_web', order('crypto'), json)
    expect(await unanswered.json()).toMatchObject({ pay_to: [], payment_url: expect.stringContaining('/i/') })
  })

  it('is the same under an Idempotency-Key in both forms', async () => {
    const key = { 'idempotency-key': 'order-1' }
    const text = await ask('create_invoice_web', order('sandbox'), key)
    const again = await ask('create_invoice_web', order('sandbox'), { ...key, ...json })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.json()).toMatchObject({
      number: text.headers.get('x-invoice-id'),
      payment_url: await text.text(),
    })
  })

  it('that is refused is JSON in any case', async () => {
    const refused = await ask('create_invoice_web', order('nothing'), { accept: 'text/plain' })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      422,
      'application/json; charset=utf-8',
    ])
  })
})
