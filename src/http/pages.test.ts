import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { codingFor } from './document.ts'
import { mountPages } from './pages.ts'

let webRoot = ''
let server: FastifyInstance
let price = 1
let asked: string[] = []

const put = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(webRoot, file)), { recursive: true })
  writeFileSync(path.join(webRoot, file), content)
}

/** A small copy of a build's output. */
const writer = (mark: string) => `
export const pageQueries = (page, language) =>
  page === '/proxy' ? [] : [{ key: ['prices'], name: 'prices', input: {} }, { key: ['site', language], name: 'site', input: {} }]
export const layoutQueries = (language) => [{ key: ['prices', language], name: 'prices', input: {} }]
export const fillShell = (shell, { answers }) => shell + ' ' + JSON.stringify(answers)
export const renderPage = async (page, language, known) => {
  if (page === '/rules') throw new Error('cannot be written')
  return { head: '<title>${mark}</title>', body: page + ' ' + language + ' ' + JSON.stringify(known) }
}
export const fillTemplate = (template, { head, body }) => template.replace('HEAD', head).replace('BODY', body)
`
const token = 'https://public-url.invalid'

async function start(): Promise<void> {
  server = Fastify()
  server.get('/api/rpc/prices', async (request) => {
    asked.push(String(request.headers['accept-language']))
    return { residential: price }
  })
  server.get('/api/rpc/site', async (_request, reply) =>
    reply.status(503).send({ code: 'temporarily_unavailable' }),
  )
  await mountPages(server, { webRoot, publicUrl: new URL('https://shop.example') })
}

beforeEach(() => {
  webRoot = mkdtempSync(path.join(tmpdir(), 'turnpike-pages-'))
  price = 1
  asked = []
  put('index.html', `<html>shell ${token}/x`)
  put('assets/a.js', 'a script')
  put('og/home.png', 'a picture')
})
afterEach(async () => {
  await server.close()
  rmSync(webRoot, { recursive: true, force: true })
})

const page = (url: string, headers: Record<string, string> = {}) =>
  server.inject({ url, headers: { accept: 'text/html', ...headers } })

/** The shell contains the data of the frame of every page, in both languages. */
const knowingShell = `<html>shell https://shop.example/x ${JSON.stringify([
  [['prices', 'ru'], { residential: 1 }],
  [['prices', 'en'], { residential: 1 }],
])}`

describe('a build with a renderer', () => {
  beforeEach(async () => {
    put('.server/prerender.js', writer('first'))
    for (const language of ['ru', 'en']) {
      for (const name of ['home', 'proxy', 'shares', 'reviews', 'rules']) {
        put(`.server/templates/${language}/${name}.html`, `<html>HEAD <link href="${token}/${name}"> BODY`)
        put(`.server/pages/${language}/${name}.html`, `<html>as built: ${name} ${language} ${token}`)
      }
    }
    put('.server/pages/sitemap.xml', `<loc>${token}/</loc>`)
    put('.server/pages/robots.txt', `Sitemap: ${token}/sitemap.xml`)
    await start()
  })

  it('has its pages filled with the shop’s data, in the language of their address', async () => {
    const russian = await page('/')
    expect([russian.statusCode, russian.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const known = JSON.stringify({ answers: [[['prices'], { residential: 1 }]] })
    expect(russian.body).toBe(
      `<html><title>first</title> <link href="https://shop.example/home"> / ru ${known}`,
    )
    expect((await page('/en')).body).toContain('/ en ')
    expect((await page('/en/proxy')).body).toContain('/proxy en ')
    expect(asked).toEqual(['ru', 'en'])
    expect(russian.headers['x-robots-tag']).toBeUndefined()
  })

  it('requests the data once for many visitors', async () => {
    await Promise.all([page('/'), page('/'), page('/')])
    await page('/')
    expect(asked).toEqual(['ru'])
  })

  it('sends a page that is some seconds old while it renders, but none from before a quiet period', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    try {
      await page('/')
      price = 2
      clock.mockReturnValue(70_000)
      expect((await page('/')).body).toContain('"residential":2')
      price = 3
      clock.mockReturnValue(90_000)
      expect((await page('/')).body).toContain('"residential":2')
    } finally {
      clock.mockRestore()
    }
  })

  it('sends the page as it was built when rendering fails', async () => {
    const answer = await page('/en/rules')
    expect([answer.statusCode, answer.body]).toEqual([200, '<html>as built: rules en https://shop.example'])
  })

  it('renders with a new build once that is present', async () => {
    expect((await page('/shares')).body).toContain('first')
    put('.server/prerender.js', writer('second'))
    utimesSync(path.join(webRoot, '.server/prerender.js'), 1, 1)
    expect((await page('/reviews')).body).toContain('second')
  })

  it('answers 304 to clients that have the page, and compresses it for clients that accept that', async () => {
    const first = await page('/proxy')
    const etag = String(first.headers['etag'])
    expect((await page('/proxy', { 'if-none-match': `"other", ${etag}` })).statusCode).toBe(304)
    const small = await page('/proxy', { 'accept-encoding': 'gzip, br' })
    expect(small.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding', etag })
    expect(brotliDecompressSync(small.rawPayload).toString()).toBe(first.body)
    const zipped = await page('/proxy', { 'accept-encoding': 'gzip' })
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(first.body)
  })

  it('has a sitemap and a robots.txt with the public address', async () => {
    const sitemap = await page('/sitemap.xml')
    expect([sitemap.body, sitemap.headers['content-type']]).toEqual([
      '<loc>https://shop.example/</loc>',
      'application/xml; charset=utf-8',
    ])
    expect((await page('/robots.txt')).body).toBe('Sitemap: https://shop.example/sitemap.xml')
  })

  it.each(['/login', '/account', '/purchase', '/reset_password'])(
    'excludes %s from search engines',
    async (url) => {
      const answer = await page(url)
      expect([answer.statusCode, answer.body]).toEqual([200, knowingShell])
      expect(answer.headers['x-robots-tag']).toBe('noindex')
    },
  )

  describe('the frames of private pages', () => {
    beforeEach(() => {
      for (const language of ['ru', 'en'])
        for (const name of ['login', 'account', 'account-panel'])
          put(`.server/templates/${language}/${name}.html`, `<html>HEAD ${name} BODY`)
    })

    it('are rendered in the language of the cookie, in Russian without one', async () => {
      const [none, english, other] = await Promise.all([
        page('/login'),
        page('/login', { cookie: 'a=b; lang=en; turnpike-device=x' }),
        page('/login', { cookie: 'lang=de; language=en' }),
      ])
      expect(none.body).toContain('login /login ru')
      expect(english.body).toContain('login /login en')
      expect(other.body).toBe(none.body)
      expect(english.headers).toMatchObject({
        'cache-control': 'no-cache',
        vary: 'accept-encoding, cookie',
        'x-robots-tag': 'noindex',
      })
    })

    it('are the same for everybody, and contain nothing from the address except a known tab', async () => {
      const token = { authorization: 'Bearer abc', cookie: 'lang=en; session=abc' }
      const signedIn = await page('/account?tab=panel&pool=mobile', token)
      const visitor = await page('/account?tab=panel', { cookie: 'lang=en' })
      expect(signedIn.body).toContain('account-panel /account?tab=panel en')
      expect(signedIn.body).toBe(visitor.body)
      expect(signedIn.headers['etag']).toBe(visitor.headers['etag'])
      const hostile = await page('/account?tab=%3Cscript%3E&x=%22')
      expect(hostile.body).toContain('account /account ru')
      expect(hostile.body).not.toContain('script')
      expect(hostile.headers['set-cookie']).toBeUndefined()
    })

    it('are replaced by the shell when they cannot be rendered', async () => {
      const answer = await page('/account?tab=invoices')
      expect([answer.statusCode, answer.body]).toEqual([200, knowingShell])
    })
  })

  it.each(['/nowhere', '/en/nowhere', '/rules/more'])(
    'answers 404 at %s and still serves the application',
    async (url) => {
      const answer = await page(url)
      expect([answer.statusCode, answer.body]).toEqual([404, knowingShell])
      expect((await page(url, { accept: 'application/json' })).statusCode).toBe(404)
      const again = await page(url, { 'if-none-match': String(answer.headers['etag']) })
      expect(again.statusCode).toBe(404)
    },
  )

  it('serves files, and none of the server’s internal ones', async () => {
    expect((await page('/assets/a.js')).headers['cache-control']).toContain('immutable')
    expect((await page('/og/home.png')).body).toBe('a picture')
    for (const url of ['/.server/prerender.js', '/.server/pages/robots.txt', '/.vite/manifest.json'])
      expect((await page(url)).statusCode).toBe(404)
  })
})

describe('a build without rendered pages', () => {
  beforeEach(start)
  it.each(['/', '/rules'])('shows the application at %s', async (url) => {
    const answer = await page(url)
    expect([answer.statusCode, answer.body]).toEqual([200, '<html>shell https://shop.example/x'])
  })
})

describe('the coding of an answer', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0', null],
    ['identity', null],
    ['', null],
  ])('for «%s» is %s', (accepted, coding) => expect(codingFor(accepted)).toBe(coding))
})
