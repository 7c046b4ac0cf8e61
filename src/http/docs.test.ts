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

/** fetch would decompress the body. */
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

describe('/docs', () => {
  it('is a page that may contact no other server', async () => {
    const answer = await fetch(`${shop.origin}/docs`)
    const html = await answer.text()
    expect(html).toContain('<title>Northway &lt;&amp;&quot; API</title>')
    expect(html).not.toMatch(/<script>|https?:\/\//)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("default-src 'none'")
    expect(policy.match(/https?:\/\/[^\s;]+/g)).toEqual(['http://localhost:3000'])
    expect((await fetch(`${shop.origin}/docs/`, { redirect: 'manual' })).headers.get('location')).toBe(
      '/docs',
    )
  })

  it('is served with all its parts', async () => {
    for (const [path, type] of [
      ['/docs/scalar.js', 'text/javascript; charset=utf-8'],
      ['/docs/start.js', 'text/javascript; charset=utf-8'],
      ['/docs/style.css', 'text/css; charset=utf-8'],
    ] as const) {
      const answer = await fetch(`${shop.origin}${path}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
      const etag = answer.headers.get('etag') ?? ''
      await answer.arrayBuffer()
      expect((await fetch(`${shop.origin}${path}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    }
    const script = await packed('/docs/scalar.js', 'br')
    expect(script.body.length).toBeLessThan(1_500_000)
  })
})
