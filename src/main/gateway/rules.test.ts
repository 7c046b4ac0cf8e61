import { describe, expect, it } from 'vitest'
import { checkTargetRules, ownServers } from './rules.ts'
import { readSettings, SettingFault } from '../settings/settings.ts'

const check = (env: Record<string, string>) => checkTargetRules(readSettings(env, '/srv/shop'))

it('rules about targets are validated before the start', () => {
  check({})
  check({
    GATEWAY_ALLOW: 'localhost:8080, 10.0.0.0/8',
    GATEWAY_DENY: '22, 6881-6889, *.example.org, fc00::/7',
  })
})

it.each([
  ['GATEWAY_ALLOW: "http://a" is no host', { GATEWAY_ALLOW: 'localhost, http://a' }],
  ['GATEWAY_DENY: "0" is no port', { GATEWAY_DENY: '0' }],
  ['GATEWAY_DENY: "a:80" is no port', { GATEWAY_DENY: '22,a:80' }],
])('the gateway refuses with the sentence %s', (sentence, env) => {
  expect(() => check(env)).toThrow(SettingFault)
  expect(() => check(env)).toThrow(sentence)
})

describe('the servers behind the shop', () => {
  const serversOf = (env: Record<string, string>) =>
    ownServers(readSettings({ PORT: '3000', ...env }, '/srv/shop')).map(
      ({ host, port, isPublicService = false }) => `${host} ${port}${isPublicService ? ' public' : ''}`,
    )

  it.each([
    ['postgresql://u:p%40ss@db.test/shop', ['db.test 5432']],
    ['postgres://u@db.test:6432/shop?sslmode=verify-full', ['db.test 6432']],
    ['postgres://u@[fd00::5]:6432/shop', ['fd00::5 6432']],
    ['postgres://u@/shop?host=db.test&port=6432', ['db.test 5432', 'db.test 6432']],
    ['postgres://u@one.test,two.test:6432/shop', ['one.test 5432', 'two.test 6432']],
    ['postgres://u@база.test/shop', ['xn--80aabz.test 5432']],
    ['postgres://u@%64b.test/shop', ['db.test 5432']],
    ['postgres:///shop?host=/run/postgresql', []],
    ['postgres://u@%2Frun%2Fpostgresql/shop', []],
  ])('are those of %s', (address, found) => {
    expect(serversOf({ DATABASE_URL: address }).filter((one) => !one.startsWith('127.'))).toEqual([
      ...found,
      'api.telegram.org 443 public',
    ])
  })

  it('are the mail server, the feed and the ports that the shop itself listens on', () => {
    const token = 'x'.repeat(32)
    expect(
      serversOf({
        SMTP_URL: 'smtp://почта.test',
        MAIL_FROM: 'a@example.net',
        FEED_URL: 'tls://feed.test:7443',
        FEED_TOKEN: token,
        METRICS_LISTEN: '127.0.0.1:9464',
      }),
    ).toEqual(
      expect.arrayContaining(['127.0.0.1 3000', '127.0.0.1 9464', 'xn--80a1acny.test 587', 'feed.test 7443']),
    )
    // Without a port in it the same setting is that of every part of the machine.
    expect(serversOf({ METRICS_LISTEN: '127.0.0.1' })).toEqual(
      expect.arrayContaining([9464, 9465, 9466, 9467].map((port) => `127.0.0.1 ${port}`)),
    )
  })
})

it('a gateway without the database gives no access to a shop without PUBLIC_URL', () => {
  const opens = (env: Record<string, string>) => readSettings(env, '/srv/shop').gateway.opensShop
  const far = { FEED_URL: 'tls://feed.test:7443', FEED_TOKEN: 'x'.repeat(32) }
  expect([opens({}), opens(far), opens({ ...far, PUBLIC_URL: 'https://shop.test' })]).toEqual([
    true,
    false,
    true,
  ])
})
