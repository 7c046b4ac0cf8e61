import { describe, expect, it } from 'vitest'
import { makeOwnToken } from '#feed/keys'
import { readSettings, SettingFault } from './settings.ts'
import { metricsPorts } from './settings.feed.ts'

const token = 'x'.repeat(32)
const read = (env: Record<string, string>) => readSettings(env, '/srv/shop')
const refusal = (env: Record<string, string>) => {
  try {
    read(env)
  } catch (error) {
    if (error instanceof SettingFault) return error.message
    throw error
  }
  return 'accepted'
}

describe('the feed', () => {
  it('serves only gateways with an own token when the server has no FEED_TOKEN', () => {
    expect(read({ FEED_LISTEN: 'unix:feed.sock' }).feed.listen).toMatchObject({ token: null })
  })

  it('is only a pipe by default', () => {
    expect(read({})).toMatchObject({ feed: { connect: null, listen: null }, metricsListen: null })
    expect(read({ FEED_TOKEN: token }).feed).toEqual({ connect: null, listen: null })
  })

  it('is reached on another machine or on this one', () => {
    const far = { FEED_URL: 'tls://feed.example.net:7443', FEED_CA: 'ca.pem', FEED_TOKEN: token }
    expect(read(far).feed.connect).toEqual({
      addresses: [{ host: 'feed.example.net', port: 7443 }],
      token,
      caFile: '/srv/shop/ca.pem',
    })
    const several = 'tls://[2001:db8::1]:7443, tls://feed2.example.net:7443,'
    expect(read({ FEED_URL: several, FEED_TOKEN: token }).feed.connect?.addresses).toEqual([
      { host: '2001:db8::1', port: 7443 },
      { host: 'feed2.example.net', port: 7443 },
    ])
    expect(read({ FEED_URL: 'unix:/run/feed.sock', FEED_TOKEN: token }).feed.connect).toEqual({
      addresses: [{ path: '/run/feed.sock' }],
      token,
      caFile: null,
    })
  })

  it('is offered to other machines over TLS only', () => {
    const open = { FEED_LISTEN: 'tls://0.0.0.0:7443', FEED_TOKEN: token }
    expect(refusal(open)).toContain('FEED_TLS_CERT')
    expect(refusal({ ...open, FEED_TLS_CERT: 'a.crt' })).toContain('FEED_TLS_KEY')
    expect(read({ ...open, FEED_TLS_CERT: 'a.crt', FEED_TLS_KEY: 'a.key' }).feed.listen).toEqual({
      address: { host: '0.0.0.0', port: 7443 },
      token,
      files: { cert: '/srv/shop/a.crt', key: '/srv/shop/a.key' },
    })
    expect(read({ FEED_LISTEN: 'unix:feed.sock', FEED_TOKEN: token }).feed.listen).toMatchObject({
      address: { path: '/srv/shop/feed.sock' },
      files: null,
    })
  })

  it.each([
    [{ FEED_URL: 'tls://feed.example.net:7443' }, 'FEED_URL needs FEED_TOKEN'],
    [{ FEED_LISTEN: 'unix:feed.sock', FEED_TOKEN: makeOwnToken('gw1') }, 'belongs on its machine'],
    [{ FEED_TOKEN: 'short' }, 'at least 32 characters'],
    [{ FEED_TOKEN: `${token} blank` }, 'no blanks'],
    [{ FEED_URL: 'https://feed.example.net', FEED_TOKEN: token }, 'FEED_URL must be tls://'],
    [{ FEED_URL: 'tls://feed.example.net', FEED_TOKEN: token }, 'FEED_URL must be tls://'],
    [{ FEED_URL: 'tls://feed.example.net:70000', FEED_TOKEN: token }, 'FEED_URL must be tls://'],
    [
      { FEED_URL: 'tls://a.example.net:1,tls://a.example.net:1/', FEED_TOKEN: token },
      'FEED_URL names tls://a.example.net:1 twice',
    ],
    [{ FEED_URL: 'tls://a.example.net:1,b.example.net:1', FEED_TOKEN: token }, 'not “b.example.net:1”'],
    [{ FEED_URL: `unix:/${'a'.repeat(120)}`, FEED_TOKEN: token }, 'at most 107 bytes'],
    [{ METRICS_LISTEN: '9464' }, 'METRICS_LISTEN must be a host'],
    [{ METRICS_LISTEN: '127.0.0.1:' }, 'METRICS_LISTEN must be a host'],
  ])('reports the fault of %j', (env, words) => {
    expect(refusal(env as Record<string, string>)).toContain(words)
  })

  it('does not repeat the token', () => {
    expect(refusal({ FEED_TOKEN: 'hunter2' })).not.toContain('hunter2')
  })
})

it('metrics of a process without a web server listen at METRICS_LISTEN', () => {
  expect(read({ METRICS_LISTEN: '127.0.0.1:9464' }).metricsListen).toEqual({ host: '127.0.0.1', port: 9464 })
  expect(read({ METRICS_LISTEN: '[::1]:9464' }).metricsListen).toEqual({ host: '::1', port: 9464 })
  const alone = { '127.0.0.1': '127.0.0.1', '[::]': '::', localhost: 'localhost' }
  for (const [value, host] of Object.entries(alone))
    expect(read({ METRICS_LISTEN: value }).metricsListen).toEqual({ host })
})

it('no two parts of a machine have the same port for metrics', () => {
  const ports = Object.values(metricsPorts)
  expect(new Set(ports).size).toBe(ports.length)
})
