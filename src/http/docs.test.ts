import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeContent } from '#desk'
import { systemAuthor } from '#staff'
import { wire } from '#contract/wire'
import { type App, app } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

/** Requests a path without decompressing the body, unlike fetch. */
async function packed(path: string, encoding: string): Promise<{ message: IncomingMessage; body: Buffer }> {
  const message = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${shop.origin}${path}`, { headers: { 'accept-encoding': encoding } }, resolve).on('error', reject),
  )
  return { message, body: await buffer(message) }
}

describe('/api/openapi.json', () => {
  it('contains every call, under the shop’s address and name', async () => {
    await changeContent(
      shop.database.db,
      systemAuthor(),
      { part: 'brand', change: { name: 'Northway <&"' } },
      new Date(),
    )
    const answer = await fetch(`${shop.origin}/api/openapi.json`)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const document = (await answer.json()) as {
      openapi: string
      info: { title: string }
      servers: { url: string }[]
      paths: object
    }
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info.title).toBe('Northway <&" API')
    expect(document.servers).toEqual([{ url: 'http://localhost:3000/api' }])
    expect(Object.keys(document.paths).toSorted()).toEqual(
      Object.values(wire)
        .map(({ path }) => path)
        .toSorted(),
    )
    const again = await fetch(`${shop.origin}/api/openapi.json`, {
      headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  it('is compressed for clients that accept that', async () => {
    const plain = (await packed('/api/openapi.json', 'identity')).body
    const zipped = await packed('/api/openapi.json', 'deflate, gzip;q=0.5, br;q=0')
    expect(zipped.message.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zipped.body).equals(plain)).toBe(true)
    const brotli = await packed('/api/openapi.json', 'gzip, deflate, br')
    expect(brotli.message.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.body).equals(plain)).toBe(true)
    expect(brotli.message.headers.etag).not.toBe(zipped.message.headers.etag)
  })
})

describe('the document in Russian', () => {
  it('says the same of the same calls, in Russian', async () => {
    const read = async (query: string) =>
      (await (await fetch(`${shop.origin}/api/openapi.json${query}`)).json()) as {
        info: { description: string }
        tags: { name: string }[]
        paths: Record<string, Record<string, { summary: string; description?: string }>>
      }
    const [plain, english, russian] = await Promise.all([
      read(''),
      read('?language=en'),
      read('?language=ru'),
    ])
    expect(english).toEqual(plain)
    expect(Object.keys(russian.paths)).toEqual(Object.keys(plain.paths))
    const isRussian = (text: string) => /[а-яё]/i.test(text)
    for (const methods of Object.values(russian.paths))
      for (const { summary, description = 'да' } of Object.values(methods))
        expect([summary, isRussian(summary) && isRussian(description)]).toEqual([summary, true])
    for (const methods of Object.values(plain.paths))
      for (const { summary, description = '' } of Object.values(methods))
        expect([summary, isRussian(summary + description)]).toEqual([summary, false])
    expect(russian.tags.map(({ name }) => name).filter((name) => !isRussian(name))).toEqual([])
  })
})

it('/docs/ leads to the pages of the documentation', async () => {
  expect((await fetch(`${shop.origin}/docs/`, { redirect: 'manual' })).headers.get('location')).toBe('/docs')
})
