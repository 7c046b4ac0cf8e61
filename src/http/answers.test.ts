/** The server's actual answers match the OpenAPI document. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openApi } from '#contract/openapi/openapi'
import { type Name, pathOf, wire } from '#contract/wire'
import { seedDemoInventory } from '#inventory'
import { type App, app } from '#test/app'
import { alone } from '#test/openapi'

type Schema = z.core.JSONSchema.BaseSchema

const document = openApi({ origin: 'https://shop.example.net', brand: 'Turnpike', version: '1.0.0' }) as {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { schemas: object }
}

interface Response {
  headers: object
  content: Record<string, { schema: Schema }>
}

const responseOf = (name: Name, status: number) =>
  document.paths[wire[name].path]?.[wire[name].method.toLowerCase()]?.responses[String(status)]

describe('real answers', () => {
  let shop: App
  let token = ''
  beforeAll(async () => {
    shop = await app()
    await seedDemoInventory(shop.database)
    const customer = await shop.customer()
    await shop.buy(customer, { pool: 'residential', gb: 3 })
    token = await customer.call('reseller_token', {})
  })
  afterAll(() => shop.close())

  const cheap: [Name, Record<string, unknown>][] = [
    ['prices', {}],
    ['calculate', { amounts: [1, 100] }],
    ['payment_systems', {}],
    ['site', {}],
    ['get_banners', {}],
    ['proxy_countries', { pool: 'residential' }],
    ['proxy_states', { pool: 'residential', countries: ['us'] }],
    ['proxy_cities', { pool: 'residential', countries: ['us', 'de'] }],
    ['proxy_asns', { pool: 'residential', countries: ['us'] }],
    ['proxy_zipcodes', { pool: 'residential', countries: ['us'] }],
    ['legacy_profile', {}],
    ['legacy_referal_info', {}],
    ['legacy_get_statistic', { period: 'week', pool: 'residential' }],
    ['is_password_exists', {}],
    ['change_language', { code: 'eng' }],
    ['reseller_token', {}],
    ['referral_payment', { amount: 1, pool: 'residential' }],
    ['discount_promocode_info', { code: 'nothing', amount: '1' }],
    ['get_proxy', { pool: 'mobile' }],
  ]

  it.each(cheap)('of %s match the document', async (name, fields) => {
    const { method } = wire[name]
    const query = new URLSearchParams(fields as Record<string, string>).toString()
    const answer = await fetch(
      `${shop.origin}${pathOf(name)}${method === 'GET' && query !== '' ? `?${query}` : ''}`,
      {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: JSON.stringify(fields) } : {}),
      },
    )
    const described = responseOf(name, answer.status)
    expect(described, `status ${answer.status} of ${name}`).toBeDefined()
    for (const header of Object.keys(described?.headers ?? {}))
      expect(answer.headers.get(header), header).not.toBeNull()
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
    const content = described?.content[type]
    expect(content).toBeDefined()
    if (type !== 'application/json' || content === undefined) return
    const fits = z.fromJSONSchema(alone(content.schema, document))
    expect(fits.safeParse(await answer.json()).error).toBeUndefined()
  })
})
