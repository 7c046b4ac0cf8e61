import { chromium, type Browser, type LaunchOptions } from '@playwright/test'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { pattern } from '#test/origin'
import { findChromium } from '#test/run/programs'
import { type Site, startSite } from './site.ts'
import { startWay, type Way } from './ways.ts'

let site: Site
let way: Way
let browser: Browser | null = null
beforeAll(async () => {
  ;[site, way] = await Promise.all([startSite(), startWay('over the bare connection')])
})
afterEach(() => browser?.close())
afterAll(async () => {
  await way.close()
  await site.close()
})

/** Chromium with --proxy-server; names are resolved by the proxy, so that Chromium looks up none itself. */
async function openPage(proxy: NonNullable<LaunchOptions['proxy']>) {
  const executablePath = findChromium()
  browser = await chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    proxy,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--ignore-certificate-errors',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  return await context.newPage()
}

const named = (url: string) => url.replace('127.0.0.1', 'here.test')
const server = (scheme: string) => `${scheme}://127.0.0.1:${way.port}`

it.each(['http', 'https'])('Chromium browses HTTP and HTTPS through a proxy over %s', async (scheme) => {
  const page = await openPage({ server: server(scheme), username: 'alice1', password: 'secret' })
  for (const base of [site.http, site.https]) {
    const answer = await page.goto(named(`${base}/`))
    expect(answer?.status()).toBe(200)
    // Fetched by the page itself, as scripts do, several concurrently.
    const fetched = await page.evaluate(async (path) => {
      const bytes = async () => [...new Uint8Array(await (await fetch(path)).arrayBuffer())]
      return await Promise.all([bytes(), bytes(), bytes(), bytes()])
    }, '/bytes/30000')
    for (const bytes of fetched) expect(Buffer.from(bytes).equals(pattern(30_000))).toBe(true)
  }
})

it('Chromium shows 407 for a wrong password, and opens no tunnel', async () => {
  const page = await openPage({ server: server('http'), username: 'alice1', password: 'no' })
  const before = way.bench.gateway.stats().tunnelsTotal
  const plain = await page.goto(named(site.http)).then(
    (answer) => String(answer?.status()),
    (fault: Error) => fault.message,
  )
  expect(plain).toMatch(/407|ERR_INVALID_AUTH_CREDENTIALS|ERR_PROXY/)
  // The headless shell asks for another password in a dialog that it does not have, and waits; the whole
  // browser reports an error.
  await expect(page.goto(named(site.https), { timeout: 5000 })).rejects.toThrow(/net::ERR_|Timeout/)
  expect(way.bench.gateway.stats().tunnelsTotal).toBe(before)
})

it('Chromium over SOCKS5, where it cannot send a password, is authenticated by its address', async () => {
  const address = '127.0.0.1'
  const account = way.bench.feed.accounts.get('residential alice1')
  if (account === undefined) throw new Error('no account')
  way.bench.feed.whitelist.set(`residential ${address}`, account)
  way.bench.feed.emit({ type: 'whitelist_changed', pool: 'residential', address })
  const page = await openPage({ server: server('socks5') })
  expect((await page.goto(named(`${site.https}/`)))?.status()).toBe(200)
  expect(await page.textContent('body')).toContain('"method":"GET"')
})
