import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusals, sentence, type RefusalCode } from '#contract/refusals'
import { type Name, pathOf, wire } from '#contract/wire'
import { type App, app, raw } from '#test/app'
import { languageOf } from './errors.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

describe('the contract on the server', () => {
  it.each(Object.keys(wire) as Name[])('refuses the wrong method for %s', async (name) => {
    const method = wire[name].method === 'GET' ? 'POST' : 'GET'
    const answer = await fetch(`${shop.origin}${pathOf(name)}`, { method })
    const allowed = wire[name].method === 'GET' ? 'GET, HEAD, OPTIONS' : 'OPTIONS, POST'
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed])
  })

  it.each([
    ['DELETE', '/api/rpc/signin', 'OPTIONS, POST'],
    ['PROPFIND', '/api/rpc/prices', 'GET, HEAD, OPTIONS'],
    ['GET', '/api/webhooks/card', 'POST'],
    ['POST', '/api/openapi.json', 'GET, HEAD'],
    ['PATCH', '/api/echo', 'GET, HEAD, POST, PUT'],
    ['PUT', '/healthz', 'GET, HEAD'],
    ['GET', '/api/rpc/get_gateway_proxy_states', 'OPTIONS, POST'],
  ])('lists the allowed methods for %s %s', async (method, path, allowed) => {
    const answer = await fetch(`${shop.origin}${path}`, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed])
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' })
  })

  it('answers 404 to every method at an unknown path', async () => {
    for (const method of ['GET', 'POST', 'PROPFIND']) {
      const answer = await fetch(`${shop.origin}/api/rpc/nothing`, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([404, null])
    }
  })

  it.each((Object.keys(wire) as Name[]).filter((name) => wire[name].who === 'customer'))(
    'requires a token for %s',
    async (name) => {
      for (const authorization of ['', 'Bearer nonsense', 'Basic abc', `Bearer ${'a'.repeat(43)}`]) {
        const answer = await fetch(`${shop.origin}${pathOf(name)}`, {
          method: wire[name].method,
          headers: { authorization },
        })
        expect(answer.status).toBe(401)
        expect(await answer.json()).toMatchObject({ code: 'unauthorized' })
      }
    },
  )
})

describe('bad requests', () => {
  it('are refused in the caller’s language', async () => {
    const russian = await raw(shop.origin, 'signin', '{"username":', { 'accept-language': 'ru' })
    const english = await raw(shop.origin, 'signin', '{"username":', { 'accept-language': 'en-GB,en;q=0.9' })
    expect([russian.status, english.status]).toEqual([400, 400])
    expect(await russian.json()).toEqual({ code: 'malformed_json', message: refusals.malformed_json.ru })
    expect(await english.json()).toEqual({ code: 'malformed_json', message: refusals.malformed_json.en })
  })

  it.each([
    ['[]', 400, 'malformed_json'],
    ['"text"', 400, 'malformed_json'],
    ['null', 422, 'invalid_username'],
    ['{}', 422, 'invalid_username'],
    ['{"username":1,"password":"x"}', 422, 'invalid_username'],
    ['{"username":"x","password":"y","__proto__":{}}', 422, 'unknown_field'],
    ['{"username":"x","password":"y","admin":true}', 422, 'unknown_field'],
    [JSON.stringify({ username: 'x'.repeat(70_000), password: 'y' }), 413, 'body_too_large'],
  ])('%.40s… → %i %s', async (body, status, code) => {
    const answer = await raw(shop.origin, 'signin', body)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ code })
  })

  it('name the required media type', async () => {
    const answer = await raw(shop.origin, 'signin', 'username=x', { 'content-type': 'text/plain' })
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  it('to unknown paths get the same error shape', async () => {
    const answer = await fetch(`${shop.origin}/api/rpc/drop_tables`)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'not_found' })
  })
})

describe('every answer', () => {
  it('carries a request id and strict headers', async () => {
    const answer = await fetch(`${shop.origin}/api/rpc/prices`)
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/,
    )
  })

  it.each(['TRACE', 'TRACK', 'CONNECT', 'DELETE'])('is a refusal for %s', async (method) => {
    const { hostname, port } = new URL(shop.origin)
    const socket = connect(Number(port), hostname)
    socket.end(
      `${method} /api/rpc/prices HTTP/1.1\r\nHost: shop\r\nX-Mine: a secret\r\nConnection: close\r\n\r\n`,
    )
    const answer = Buffer.concat(await socket.toArray()).toString()
    expect(answer).not.toContain('a secret')
    expect(answer).not.toMatch(/^HTTP\/1\.1 2/)
  })
})

describe('the catalogue', () => {
  it('has a price for every pool', async () => {
    expect(await shop.anyone('prices', {})).toEqual({
      residential: 3.5,
      residential_premium: 5.9,
      datacenter: 0.7,
      mobile: 7.9,
    })
  })

  it('lists discounts in the requested order', async () => {
    expect(await shop.anyone('calculate', { amounts: [1000, 1, 300, 299, 100] })).toEqual([
      0.33, 0, 0.17, 0.1, 0.1,
    ])
  })

  it('lists the configured payment methods', async () => {
    expect((await shop.anyone('payment_systems', {})).map(({ name }) => name)).toEqual(['sandbox'])
  })
})

describe('/api/echo', () => {
  it('returns the address as JSON and as text', async () => {
    expect(await (await fetch(`${shop.origin}/api/echo`)).json()).toMatchObject({
      ip: '127.0.0.1',
      method: 'GET',
    })
    expect(await (await fetch(`${shop.origin}/api/echo?format=text`)).text()).toBe('127.0.0.1\n')
  })

  it('sends the requested number of bytes and counts those it receives', async () => {
    const answer = await fetch(`${shop.origin}/api/echo?bytes=200001`)
    expect((await answer.arrayBuffer()).byteLength).toBe(200_001)
    const sent = await fetch(`${shop.origin}/api/echo`, { method: 'POST', body: Buffer.alloc(300_000) })
    expect(await sent.json()).toMatchObject({ bytes_received: 300_000 })
  })

  it('limits the bytes sent to one address', async () => {
    const ask = (bytes: number) =>
      fetch(`${shop.origin}/api/echo?bytes=${bytes}`, { headers: { 'x-forwarded-for': '203.0.113.19' } })
    const half = 32 * 1024 * 1024
    for (let n = 0; n < 2; n++) expect((await (await ask(half)).arrayBuffer()).byteLength).toBe(half)
    const refused = await ask(half)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1)
    expect(await refused.json()).toMatchObject({ code: 'too_many_requests' })
  })

  it('uses X-Forwarded-For only from a trusted reverse proxy', async () => {
    const answer = await fetch(`${shop.origin}/api/echo`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
    expect(await answer.json()).toMatchObject({ ip: '203.0.113.9' })
    const stranger = await app({ trustProxy: [] })
    const claimed = await fetch(`${stranger.origin}/api/echo`, {
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(await claimed.json()).toMatchObject({ ip: '127.0.0.1' })
    await stranger.close()
  })

  it('uses it although Connection names it: a client cannot remove the proxy’s field', async () => {
    const { hostname, port } = new URL(shop.origin)
    const headers = { 'x-forwarded-for': '203.0.113.9', connection: 'close, X-Forwarded-For' }
    const [answer] = (await once(
      request({ hostname, port, path: '/api/echo', headers }).end(),
      'response',
    )) as [IncomingMessage]
    expect(JSON.parse(Buffer.concat(await answer.toArray()).toString())).toMatchObject({ ip: '203.0.113.9' })
  })
})

describe('the operator’s endpoints', () => {
  it('report that the process runs, is ready, and its metrics', async () => {
    expect(await (await fetch(`${shop.origin}/healthz`)).text()).toBe('ok\n')
    expect(await (await fetch(`${shop.origin}/readyz`)).text()).toBe('ready\n')
    const metrics = await (await fetch(`${shop.origin}/metrics`)).text()
    expect(metrics).toContain(
      'turnpike_http_request_seconds_count{method="GET",route="/readyz",status="200"}',
    )
  })

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'are hidden from requests through a reverse proxy on this machine, recognised by %s',
    async (name) => {
      const answer = await fetch(`${shop.origin}/metrics`, { headers: { [name]: '203.0.113.9' } })
      expect(answer.status).toBe(404)
    },
  )
})

describe('languageOf', () => {
  it.each([
    [undefined, 'ru'],
    ['', 'ru'],
    ['de', 'ru'],
    ['en', 'en'],
    ['en-US,en;q=0.9,ru;q=0.8', 'en'],
    ['ru;q=0.5,en;q=0.4', 'ru'],
    ['fr,en;q=0.3,ru;q=0', 'en'],
  ])('%s → %s', (header, language) => {
    expect(languageOf(header)).toBe(language)
  })
})

describe('refusals', () => {
  it.each(Object.keys(refusals) as RefusalCode[])('%s has its own sentence in both languages', (code) => {
    const { ru, en } = refusals[code]
    expect(ru).toMatch(/[а-яё]/)
    expect(en).not.toMatch(/[а-яё]/)
    const holes = (text: string) =>
      [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted((a, b) => a.localeCompare(b))
    expect(holes(ru)).toEqual(holes(en))
  })

  it('have their placeholders filled', () => {
    expect(sentence('unknown_field', 'en', { field: 'colour' })).toContain('“colour”')
  })
})
