import { brotliDecompressSync } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { FirstScreen, PageRenderer } from '#contract/page-renderer'
import { codingFor } from '../document.ts'
import { languageOf } from '../errors.ts'
import { mountFirstReads } from './first.reads.ts'

let server: FastifyInstance
let screens: FirstScreen[] = []
let asked: FastifyRequest[] = []

/** A screen of two reads, one of which is refused. */
const firstScreen: PageRenderer['firstScreen'] = async (screen, ask) => {
  screens.push(screen)
  const profile = await ask('legacy_profile', {})
  const line = await ask('get_proxy', { pool: 'mobile' } as never)
  const invoices = await ask('invoices', {})
  return {
    answers: [[['known'], [profile, line, invoices ?? 'refused']]],
    html: '<p>https://placeholder</p>',
  }
}

beforeEach(() => {
  screens = []
  asked = []
  server = Fastify({ trustProxy: ['127.0.0.1'] })
  server.addHook('onRequest', async (request) => {
    if (request.url.startsWith('/api/')) asked.push(request)
  })
  server.get('/api/legacy_profile', async () => [{ user_id: 7 }])
  server.post('/api/rpc/get_proxy', async (_request, reply) => reply.type('text/plain').send('host:1:a:b'))
  server.get('/api/rpc/invoices', async (_request, reply) => reply.status(429).send({ code: 'slow_down' }))
  const renderer = async () => ({ firstScreen }) as unknown as PageRenderer
  mountFirstReads(server, {
    renderer,
    edit: (text) => text.replace('placeholder', 'shop.example'),
    languageOf,
    codingFor,
  })
})
afterEach(() => server.close())

const read = (payload: object, headers: Record<string, string> = {}) =>
  server.inject({
    method: 'POST',
    url: '/account/reads',
    payload,
    headers: { authorization: 'Bearer mine', 'accept-language': 'en', ...headers },
  })

it('answers all reads at once, without those that are refused, and is never stored', async () => {
  const answer = await read({ search: '?tab=main' })
  expect(answer.json()).toEqual({
    answers: [[['known'], [[{ user_id: 7 }], 'host:1:a:b', 'refused']]],
    html: '<p>https://shop.example</p>',
  })
  expect(answer.headers['cache-control']).toBe('no-store')
})

it('the call of first reads makes each read as its caller: with their token, cookie, address and language', async () => {
  await read(
    {},
    {
      cookie: 'browser=one',
      'user-agent': 'a browser',
      'x-forwarded-for': '203.0.113.9',
      'idempotency-key': 'mine too',
    },
  )
  expect(asked).toHaveLength(3)
  for (const { headers, ip } of asked) {
    expect(headers).toMatchObject({
      authorization: 'Bearer mine',
      cookie: 'browser=one',
      'user-agent': 'a browser',
      'accept-language': 'en',
    })
    expect(headers['idempotency-key']).toBeUndefined()
    expect(ip).toBe('203.0.113.9')
  }
})

it('the call of first reads reads nothing for a caller without a token', async () => {
  const answer = await server.inject({ method: 'POST', url: '/account/reads', payload: { search: '' } })
  expect(answer.json()).toEqual({ answers: [], html: null })
  expect(asked).toEqual([])
})

it('the call of first reads takes only known tabs and the stored settings that a screen needs', async () => {
  const stored = { 'panel-settings': '{"pool":"mobile"}', 'first-line': 'x'.repeat(32_001), user: 'another' }
  await read({ search: '?tab=../../etc', stored })
  await read({ search: 7, stored: null })
  await read([])
  expect(screens.map(({ frame, stored: known }) => [frame, known])).toEqual([
    ['/account', { 'panel-settings': '{"pool":"mobile"}' }],
    ['/account', {}],
    ['/account', {}],
  ])
  expect(screens[0]?.language).toBe('en')
})

it('the call of first reads is compressed for browsers', async () => {
  const answer = await read({}, { 'accept-encoding': 'gzip, br' })
  expect(answer.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(answer.rawPayload).toString()).toContain('shop.example')
})
