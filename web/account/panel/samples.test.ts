import { describe, expect, it } from 'vitest'
import { curlSample, nodeSample, pythonSample, wayThrough } from './samples.ts'
import type { Format, Protocol } from './settings.ts'

const target = 'http://localhost:3000/api/echo'
const line = 'tp4k2m9x-cc-us:s3cret@gw.example:20000'

function way(protocol: Protocol, text = line, format: Format = 'login:password@hostname:port') {
  const made = wayThrough(text, format, protocol, target)
  if (made === null) throw new Error(`not a line of ${format}: ${text}`)
  return made
}

describe('curlSample', () => {
  /** As a shell reads it: a line that ends in a backslash goes on. */
  const command = (...parameters: Parameters<typeof way>) =>
    curlSample(way(...parameters)).replace(/\\\n +/g, '')
  it('is one command for a shell, per protocol', () => {
    expect(command('http')).toBe(`curl -x 'http://tp4k2m9x-cc-us:s3cret@gw.example:20000' '${target}'`)
    expect(command('https')).toBe(
      `curl --proxytunnel -x 'http://tp4k2m9x-cc-us:s3cret@gw.example:20000' '${target}'`,
    )
    expect(command('socks5')).toBe(`curl -x 'socks5h://tp4k2m9x-cc-us:s3cret@gw.example:20000' '${target}'`)
  })
  it('needs no credentials where the line has none', () => {
    expect(command('http', 'gw.example:20001', 'hostname:port')).toBe(
      `curl -x 'http://gw.example:20001' '${target}'`,
    )
  })
  it('lets no character of a line out of its quotes', () => {
    expect(command('http', "lo'gin:p$w@gw.example:1")).toBe(
      `curl -x 'http://lo'\\''gin:p%24w@gw.example:1' '${target}'`,
    )
  })
})

describe('pythonSample', () => {
  it('names the proxy for both kinds of target', () => {
    expect(pythonSample(way('socks5'))).toContain(
      'proxy = "socks5h://tp4k2m9x-cc-us:s3cret@gw.example:20000"',
    )
    expect(pythonSample(way('http'))).toContain('proxies={"http": proxy, "https": proxy}')
  })
  it('lets no character of a line out of its quotes', () => {
    expect(pythonSample(way('http', 'lo"gin:p\\w@gw.example:1'))).toContain(
      '"http://lo%22gin:p%5Cw@gw.example:1"',
    )
  })
})

describe('nodeSample', () => {
  it('takes the agent of the protocol', () => {
    expect(nodeSample(way('http'))).toContain('proxyTunnel: false')
    expect(nodeSample(way('https'))).toContain('proxyTunnel: true')
    expect(nodeSample(way('socks5'))).toContain("import { Socks5ProxyAgent, fetch } from 'undici'")
  })
})

describe('wayThrough', () => {
  it('is none for a line of another shape', () => {
    expect(wayThrough('hello', 'hostname:port', 'http', target)).toBeNull()
  })
})
