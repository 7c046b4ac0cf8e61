import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pattern } from '#test/origin'
import { eventually } from '#test/eventually'
import { program, type Said, type Site, startSite } from './site.ts'
import { ok, withTarget } from './talk.ts'
import { startWay, type Way } from './ways.ts'

let site: Site
let way: Way
beforeAll(async () => {
  ;[site, way] = await Promise.all([startSite(), startWay('over the bare connection')])
})
afterAll(async () => {
  await way.close()
  await site.close()
})

const proxy = (scheme: string, password = 'secret') => `${scheme}://alice1:${password}@127.0.0.1:${way.port}`
const wanted = pattern(70_000).toString('latin1')
const charged = () => Number(way.bench.feed.charged.get(1n) ?? 0n)

/** Waits until nothing is open and everything is reported, and returns the charge since the last call. */
async function chargedSince(before: number): Promise<number> {
  await eventually(() => way.bench.gateway.stats().leasesOpen === 0, 'every lease to go back')
  return charged() - before
}

describe('curl', () => {
  const format =
    '\n%{http_code} %{http_connect} %{size_request} %{size_upload} %{size_header} %{size_download}'
  async function curl(parameters: string[]) {
    const trust = ['--cacert', site.certificate, '--proxy-insecure']
    const said = await program('curl', ['-sS', '-w', format, ...trust, ...parameters])
    const at = said.out.lastIndexOf('\n')
    const [status = 0, connect = 0, ...sizes] = said.out
      .slice(at + 1)
      .split(' ')
      .map(Number)
    const counted = sizes.reduce((sum, size) => sum + size, 0)
    return { ...said, body: said.out.slice(0, at), status, connect, counted }
  }

  it.each(['http', 'https', 'socks5', 'socks5h'])(
    'over %s fetches, and is charged exactly what it counted',
    async (scheme) => {
      const before = charged()
      const got = await curl(['-x', proxy(scheme), `${site.http}/bytes/70000`])
      expect([got.code, got.status, got.body === wanted]).toEqual([0, 200, true])
      expect(await chargedSince(before)).toBe(got.counted)
    },
  )

  it('fetches an address with raw UTF-8, which arrives percent-encoded, and is charged what it sent', async () => {
    const before = charged()
    await withTarget(ok, async (target) => {
      const got = await curl(['-x', proxy('http'), `${target.url}/путь?ключ=я`])
      expect([got.code, got.status, got.body]).toEqual([0, 200, 'ok'])
      const path = '/%D0%BF%D1%83%D1%82%D1%8C?%D0%BA%D0%BB%D1%8E%D1%87=%D1%8F'
      expect(target.heard[0]).toMatch(
        new RegExp(`^GET ${path.replaceAll('?', String.raw`\?`)} HTTP/1\\.1\r\n`),
      )
      expect(await chargedSince(before)).toBe(got.counted)
    })
  })

  it('with --proxytunnel is charged exactly what it counted inside the tunnel', async () => {
    const before = charged()
    const url = `${site.http}/bytes/70000`
    // The second request uses the tunnel of the first, so its count includes no handshake.
    const got = await curl(['-p', '-x', proxy('http'), '-o', '/dev/null', '-o', '/dev/null', url, url])
    expect([got.code, got.status]).toEqual([0, 200])
    expect(got.counted).toBeGreaterThan(70_000)
    expect(await chargedSince(before)).toBe(2 * got.counted)
  })

  it.each([
    ['http', []],
    ['http', ['-p']],
    ['https', []],
    ['socks5', []],
    ['socks5h', []],
  ])('over %s reaches an HTTPS site %j', async (scheme, more) => {
    const got = await curl([...more, '-x', proxy(scheme), `${site.https}/bytes/70000`])
    expect([got.code, got.status, got.body === wanted]).toEqual([0, 200, true])
  })

  it('reports 407 for a wrong password, and over SOCKS a rejection', async () => {
    expect((await curl(['-x', proxy('http', 'no'), site.http])).status).toBe(407)
    expect((await curl(['-x', proxy('https', 'no'), site.http])).status).toBe(407)
    expect((await curl(['-x', proxy('http', 'no'), site.https])).connect).toBe(407)
    for (const scheme of ['socks5', 'socks5h']) {
      const said = await curl(['-x', proxy(scheme, 'no'), site.http])
      expect([said.code, said.err]).toEqual([97, expect.stringContaining('rejected by the SOCKS5 server')])
    }
  })
})

describe('wget', () => {
  const wget = (url: string, password?: string) => {
    const through = proxy('http', password)
    const settings = [`http_proxy=${through}`, `https_proxy=${through}`].flatMap((each) => ['-e', each])
    const trust = `--ca-certificate=${site.certificate}`
    return program('wget', ['-q', '-S', '--tries=1', '-O', '-', ...settings, trust, url])
  }

  it('fetches over HTTP and HTTPS', async () => {
    for (const base of [site.http, site.https]) {
      const got = await wget(`${base}/bytes/70000`)
      expect([got.code, got.out === wanted]).toEqual([0, true])
    }
  })

  it('reports 407 for a wrong password', async () => {
    const refused = await wget(site.http, 'no')
    expect([refused.code, refused.err]).toEqual([
      8,
      expect.stringContaining('407 Proxy Authentication Required'),
    ])
    expect((await wget(site.https, 'no')).code).not.toBe(0)
  })
})

describe('git', () => {
  const clone = (url: string, into: string, through: string) => {
    const settings = ['-c', `http.proxy=${through}`, '-c', `http.sslCAInfo=${site.certificate}`]
    const words = [...settings, 'clone', '-q', url, path.join(site.folder, into)]
    return program('git', words, { GIT_TERMINAL_PROMPT: '0' })
  }

  it('clones over HTTP, HTTPS and SOCKS5', async () => {
    const clones: [string, string, string][] = [
      ['one', site.git, 'http'],
      ['two', site.gitOverTls, 'http'],
      ['three', site.git, 'socks5h'],
    ]
    for (const [into, url, scheme] of clones) {
      const before = charged()
      expect(await clone(url, into, proxy(scheme))).toMatchObject({ code: 0 })
      expect(readFileSync(path.join(site.folder, into, 'README'), 'utf8')).toBe('cloned through the proxy\n')
      expect(await chargedSince(before)).toBeGreaterThan(500)
    }
  })

  it('reports 407 for a wrong password', async () => {
    for (const url of [site.git, site.gitOverTls]) {
      const refused = await clone(url, 'none', proxy('http', 'no'))
      expect([refused.code, refused.err]).toEqual([128, expect.stringMatching(/407|Proxy Auth/i)])
    }
  })
})

describe('Python requests', () => {
  const script = `
import hashlib, sys, requests
url, proxy, trust = sys.argv[1:]
session = requests.Session()
session.trust_env = False
session.proxies = {"http": proxy, "https": proxy}
try:
    for _ in range(2):
        answer = session.get(url, verify=trust, timeout=20)
    print(answer.status_code, hashlib.sha256(answer.content).hexdigest())
except Exception as fault:
    print(fault)
`
  // Debian's own Python has Debian's packages, whatever PATH contains.
  const fetch = (url: string, through: string): Promise<Said> =>
    program('/usr/bin/python3', ['-c', script, url, through, site.certificate])

  it.each(['http', 'socks5', 'socks5h'])(
    'over %s fetches from HTTP and HTTPS, in a session',
    async (scheme) => {
      const digest = createHash('sha256').update(pattern(70_000)).digest('hex')
      for (const base of [site.http, site.https])
        expect((await fetch(`${base}/bytes/70000`, proxy(scheme))).out).toBe(`200 ${digest}\n`)
    },
  )

  it('reports 407 for a wrong password, and over SOCKS that authentication failed', async () => {
    expect((await fetch(site.http, proxy('http', 'no'))).out).toMatch(/^407 /)
    expect((await fetch(site.https, proxy('http', 'no'))).out).toMatch(/407 Proxy Authentication Required/)
    expect((await fetch(site.http, proxy('socks5h', 'no'))).out).toMatch(/SOCKS5 authentication failed/)
  })
})
