import { readFileSync } from 'node:fs'
import { get as getHttp, type Agent } from 'node:http'
import { get as getHttps } from 'node:https'
import { HttpProxyAgent } from 'http-proxy-agent'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { SocksProxyAgent } from 'socks-proxy-agent'
import { fetch, ProxyAgent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pattern } from '#test/origin'
import { type Site, startSite } from './site.ts'
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
const wanted = pattern(70_000)

/** The status and the body of an answer, or the message of a failure, never both. */
type Outcome = { status: number; right: boolean } | { failed: string }
const right: Outcome = { status: 200, right: true }

const sentenceOf = (fault: unknown): string =>
  fault instanceof Error ? `${fault.message} ${sentenceOf(fault.cause)}` : ''

function fetchBy(agent: Agent, url: string): Promise<Outcome> {
  const get = url.startsWith('https:') ? getHttps : getHttp
  return new Promise((resolve) => {
    const outgoing = get(url, { agent, ca: readFileSync(site.certificate) }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => void parts.push(part))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, right: Buffer.concat(parts).equals(wanted) }),
      )
    })
    outgoing.on('error', (fault) => resolve({ failed: sentenceOf(fault) }))
  })
}

describe('http-proxy-agent and https-proxy-agent', () => {
  it.each(['http', 'https'])('fetch through a proxy over %s', async (scheme) => {
    const trusting = { rejectUnauthorized: false }
    const plain = new HttpProxyAgent(proxy(scheme), trusting)
    expect(await fetchBy(plain, `${site.http}/bytes/70000`)).toEqual(right)
    const tunnels = new HttpsProxyAgent(proxy(scheme), trusting)
    expect(await fetchBy(tunnels, `${site.https}/bytes/70000`)).toEqual(right)
  })

  it('show the 407 of a wrong password', async () => {
    const refused = { status: 407, right: false }
    expect(await fetchBy(new HttpProxyAgent(proxy('http', 'no')), site.http)).toEqual(refused)
    expect(await fetchBy(new HttpsProxyAgent(proxy('http', 'no')), site.https)).toEqual(refused)
  })

  it('keep the connection and fetch again on it', async () => {
    const agent = new HttpProxyAgent(proxy('http'), { keepAlive: true, maxSockets: 1 })
    const before = way.bench.gateway.stats().connectionsTotal
    for (let count = 0; count < 3; count++)
      expect(await fetchBy(agent, `${site.http}/bytes/70000`)).toEqual(right)
    expect(way.bench.gateway.stats().connectionsTotal - before).toBe(1)
    agent.destroy()
  })
})

describe('socks-proxy-agent', () => {
  it.each(['socks5', 'socks5h'])('fetches over %s', async (scheme) => {
    for (const base of [site.http, site.https])
      expect(await fetchBy(new SocksProxyAgent(proxy(scheme)), `${base}/bytes/70000`)).toEqual(right)
  })

  it('reports a wrong password', async () => {
    expect(await fetchBy(new SocksProxyAgent(proxy('socks5h', 'no')), site.http)).toEqual({
      failed: expect.stringMatching(/authentication/i),
    })
  })
})

describe('undici’s ProxyAgent', () => {
  async function fetchThrough(uri: string, url: string, proxyTunnel: boolean): Promise<Outcome> {
    const ca = readFileSync(site.certificate)
    const dispatcher = new ProxyAgent({
      uri,
      proxyTunnel,
      requestTls: { ca },
      proxyTls: { rejectUnauthorized: false },
    })
    try {
      const answer = await fetch(url, { dispatcher })
      const body = Buffer.from(await answer.arrayBuffer())
      return { status: answer.status, right: body.equals(wanted) }
    } catch (fault) {
      return { failed: sentenceOf(fault) }
    } finally {
      await dispatcher.close()
    }
  }

  it.each(['http', 'https'])('fetches through a proxy over %s, in a tunnel or not', async (scheme) => {
    expect(await fetchThrough(proxy(scheme), `${site.http}/bytes/70000`, false)).toEqual(right)
    expect(await fetchThrough(proxy(scheme), `${site.http}/bytes/70000`, true)).toEqual(right)
    expect(await fetchThrough(proxy(scheme), `${site.https}/bytes/70000`, true)).toEqual(right)
  })

  it('shows the 407 of a wrong password', async () => {
    expect(await fetchThrough(proxy('http', 'no'), site.https, true)).toEqual({
      failed: expect.stringContaining('407'),
    })
    expect(await fetchThrough(proxy('http', 'no'), site.http, false)).toEqual({
      failed: expect.stringContaining('407'),
    })
  })
})
