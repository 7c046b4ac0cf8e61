import { describe, expect, it } from 'vitest'
import type { protocols, ProxyFormat } from '#contract/proxy-lines'
import { curlSample, sampleRequest } from './samples.ts'
import { nodeSample, pythonSample } from './tools.ts'

type Protocol = (typeof protocols)[number]

const target = 'http://localhost:3000/api/echo'
const line = 'tp4k2m9x-cc-us:s3cret@gw.example:20000'

function request(protocol: Protocol, text = line, format: ProxyFormat = 'login:password@hostname:port') {
  const parsed = sampleRequest(text, format, protocol, target)
  if (parsed === null) throw new Error(`not a line of ${format}: ${text}`)
  return parsed
}

describe('curlSample', () => {
  /** As a shell reads it: a backslash at the end of a line continues the line. */
  const command = (...parameters: Parameters<typeof request>) =>
    curlSample(request(...parameters)).replace(/\\\n +/g, '')
  it('is one shell command for each protocol', () => {
    expect(command('http')).toBe(`curl -x 'http://tp4k2m9x-cc-us:s3cret@gw.example:20000' '${target}'`)
    expect(command('https')).toBe(
      `curl --proxytunnel -x 'http://tp4k2m9x-cc-us:s3cret@gw.example:20000' '${target}'`,
    )
    expect(command('socks5')).toBe(`curl -x 'socks5h://tp4k2m9x-cc-us:s3cret@gw.example:20000' '${target}'`)
  })
  it('has no credentials where the line has none', () => {
    expect(command('http', 'gw.example:20001', 'hostname:port')).toBe(
      `curl -x 'http://gw.example:20001' '${target}'`,
    )
  })
  it('quotes every character of a line', () => {
    expect(command('http', "lo'gin:p$w@gw.example:1")).toBe(
      `curl -x 'http://lo'\\''gin:p%24w@gw.example:1' '${target}'`,
    )
  })
})

describe('pythonSample', () => {
  it('sets the proxy for http and https targets', () => {
    expect(pythonSample(request('socks5'))).toContain(
      'proxy = "socks5h://tp4k2m9x-cc-us:s3cret@gw.example:20000"',
    )
    expect(pythonSample(request('http'))).toContain('proxies={"http": proxy, "https": proxy}')
  })
  it('quotes every character of a line', () => {
    expect(pythonSample(request('http', 'lo"gin:p\\w@gw.example:1'))).toContain(
      '"http://lo%22gin:p%5Cw@gw.example:1"',
    )
  })
})

describe('nodeSample', () => {
  it('uses the agent of the protocol', () => {
    expect(nodeSample(request('http'))).toContain('proxyTunnel: false')
    expect(nodeSample(request('https'))).toContain('proxyTunnel: true')
    expect(nodeSample(request('socks5'))).toContain("import { Socks5ProxyAgent, fetch } from 'undici'")
  })
})

describe('sampleRequest', () => {
  it('is null for a line of another format', () => {
    expect(sampleRequest('hello', 'hostname:port', 'http', target)).toBeNull()
  })
})
