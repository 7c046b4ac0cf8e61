import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Name, pathOf, wire } from '#contract/wire'
import { type App, app } from '#test/app'

let shop: App
let token = ''
beforeAll(async () => {
  shop = await app()
  const { call } = await shop.customer()
  token = await call('reseller_token', {})
})
afterAll(() => shop.close())

const origins = ['https://evil.example', 'null', 'http://localhost:3000']
const allowed = (answer: Response) =>
  [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))

const preflight = (name: Name, origin: string, headers = 'authorization,content-type') =>
  fetch(`${shop.origin}${pathOf(name)}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': wire[name].method,
      'access-control-request-headers': headers,
    },
  })

describe('pages of other origins', () => {
  it.each((Object.keys(wire) as Name[]).filter((name) => wire[name].token))(
    'may announce %s',
    async (name) => {
      for (const origin of origins) {
        const answer = await preflight(name, origin)
        expect(answer.status).toBe(204)
        expect(answer.headers.get('access-control-allow-origin')).toBe('*')
        expect(answer.headers.get('access-control-allow-methods')).toBe(wire[name].method)
        expect(answer.headers.get('access-control-allow-headers')).toContain('idempotency-key')
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      }
    },
  )

  it.each((Object.keys(wire) as Name[]).filter((name) => !wire[name].token))(
    'may not announce %s, which opens or closes sessions',
    async (name) => {
      const answer = await preflight(name, 'https://evil.example')
      expect([answer.status, allowed(answer)]).toEqual([204, []])
    },
  )

  it('may not announce a call without a token', async () => {
    expect(allowed(await preflight('calculate', 'https://evil.example', 'content-type'))).toEqual([])
  })

  it('read the answer to a reseller token, with its relevant headers', async () => {
    const answer = await fetch(`${shop.origin}${pathOf('legacy_profile')}`, {
      headers: { authorization: `Bearer ${token}`, origin: 'https://panel.example' },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const exposed = answer.headers.get('access-control-expose-headers') ?? ''
    for (const name of [
      'x-invoice-id',
      'x-traffic-multiplier',
      'x-payload-bytes',
      'x-request-id',
      'retry-after',
      'idempotency-replayed',
      'x-ratelimit-remaining',
      'ratelimit-policy',
      'ratelimit',
    ])
      expect(exposed).toContain(name)
  })

  it.each([
    ['a dead token', 'legacy_profile', `tpr_${'x'.repeat(43)}`, '{}', 401],
    ['a body that is no JSON', 'get_whitelist_ips', null, '{', 400],
    ['a body too large', 'get_whitelist_ips', null, JSON.stringify({ pool: 'x'.repeat(70_000) }), 413],
  ] as const)('read refusals too: %s', async (_what, name, other, body, status) => {
    const answer = await fetch(`${shop.origin}${pathOf(name)}`, {
      method: wire[name].method,
      headers: {
        authorization: `Bearer ${other ?? token}`,
        origin: 'https://panel.example',
        'content-type': 'application/json',
      },
      ...(wire[name].method === 'POST' ? { body } : {}),
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, '*'])
  })

  it('cannot read calls that are not open to resellers', async () => {
    const session = await shop.customer()
    for (const authorization of ['', `Bearer ${session.token}`]) {
      for (const name of ['legacy_profile', 'prices', 'get_banners'] as const) {
        for (const origin of origins) {
          const answer = await fetch(`${shop.origin}${pathOf(name)}`, { headers: { authorization, origin } })
          expect(allowed(answer)).toEqual([])
        }
      }
    }
    const pages = await fetch(`${shop.origin}/healthz`, {
      headers: { authorization: `Bearer ${token}`, origin: 'https://evil.example' },
    })
    expect(allowed(pages)).toEqual([])
  })
})
