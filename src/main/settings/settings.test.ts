import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { readSettings, SettingFault } from './settings.ts'

const read = (env: Record<string, string>) => readSettings(env, '/srv/shop')

describe('settings', () => {
  it('defaults to a demo on this machine', () => {
    const settings = read({})
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      dataDir: '/srv/shop/data',
      databaseUrl: null,
      demo: true,
      trustProxy: [],
      gateway: {
        portBase: 20_000,
        slots: 100,
        host: 'localhost',
        listenHost: '127.0.0.1',
        workers: availableParallelism(),
      },
    })
    expect(settings.publicUrl.href).toBe('http://localhost:3000/')
  })

  it('checks exits after half a minute, after another time, or never', () => {
    expect(read({}).gateway.exitProbeSeconds).toBe(30)
    expect(read({ EXIT_PROBE_SECONDS: '5' }).gateway.exitProbeSeconds).toBe(5)
    expect(read({ EXIT_PROBE_SECONDS: '0' }).gateway.exitProbeSeconds).toBeNull()
  })

  it('forgives an account 10 MB in an hour, or another amount, or nothing', () => {
    expect(read({}).gateway.forgivenMbPerHour).toBe(10)
    expect(read({ FORGIVEN_MB_PER_HOUR: '250' }).gateway.forgivenMbPerHour).toBe(250)
    expect(read({ FORGIVEN_MB_PER_HOUR: '0' }).gateway.forgivenMbPerHour).toBe(0)
    expect(() => read({ FORGIVEN_MB_PER_HOUR: '-1' })).toThrow('FORGIVEN_MB_PER_HOUR')
  })

  it('is not a demo with DATABASE_URL, nor with a public address', () => {
    expect(read({ DATABASE_URL: 'postgresql://db/turnpike' }).demo).toBe(false)
    expect(read({ PUBLIC_URL: 'https://shop.example.net' }).demo).toBe(false)
    expect(read({ DATABASE_URL: 'postgresql://db/turnpike', DEMO: '1' }).demo).toBe(true)
  })

  it('listens for customers everywhere once the address is public', () => {
    expect(read({ PUBLIC_URL: 'https://shop.example.net' }).gateway.listenHost).toBe('::')
  })

  it('reads lists', () => {
    const { gateway, trustProxy, countryHeader } = read({
      GATEWAY_HOSTS: 'eur=eu.example.net, usa=us.example.net',
      GATEWAY_ALLOW: 'localhost:8080,10.0.0.0/8',
      TRUST_PROXY: '10.0.0.1,fd00::/8',
      COUNTRY_HEADER: 'CF-IPCountry',
    })
    expect([...gateway.hosts]).toEqual([
      ['eur', 'eu.example.net'],
      ['usa', 'us.example.net'],
    ])
    expect(gateway.allow).toEqual(['localhost:8080', '10.0.0.0/8'])
    expect(trustProxy).toEqual(['10.0.0.1', 'fd00::/8'])
    expect(countryHeader).toBe('cf-ipcountry')
  })

  it('reads the mail server and the sender', () => {
    expect(read({}).mail).toEqual({ smtp: null, from: { name: null, address: 'no-reply@localhost' } })
    const far = { SMTP_URL: 'smtp://shop:p%40ss@smtp.example.net', MAIL_FROM: 'My Shop <hello@example.net>' }
    expect(read(far).mail).toEqual({
      smtp: {
        host: 'smtp.example.net',
        port: 587,
        secure: false,
        auth: { user: 'shop', pass: 'p@ss' },
        requireTls: true,
      },
      from: { name: 'My Shop', address: 'hello@example.net' },
    })
    const near = { SMTP_URL: 'smtps://[::1]:2465', MAIL_FROM: 'hello@example.net' }
    expect(read(near).mail).toEqual({
      smtp: { host: '::1', port: 2465, secure: true, auth: null, requireTls: false },
      from: { name: null, address: 'hello@example.net' },
    })
  })

  it('reads the settings of the bot', () => {
    const nothing = { token: null, apiRoot: 'https://api.telegram.org', botName: null, webhookSecret: null }
    expect(read({}).telegram).toEqual(nothing)
    const telegram = {
      TELEGRAM_BOT_TOKEN: '123456789:AAE0123456789-abcdefghij_klmnopqrs',
      TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/',
      TELEGRAM_BOT_NAME: '@shop_bot',
      TELEGRAM_WEBHOOK_SECRET: '0123456789abcdef',
    }
    expect(read(telegram).telegram).toEqual({
      token: telegram.TELEGRAM_BOT_TOKEN,
      apiRoot: 'http://127.0.0.1:8081',
      botName: 'shop_bot',
      webhookSecret: '0123456789abcdef',
    })
  })

  it.each([
    ['TELEGRAM_BOT_TOKEN', { TELEGRAM_BOT_TOKEN: 'a token' }],
    ['TELEGRAM_BOT_NAME', { TELEGRAM_BOT_NAME: 'https://t.me/shop_bot' }],
    ['TELEGRAM_API_ROOT', { TELEGRAM_API_ROOT: 'api.telegram.org' }],
    ['TELEGRAM_WEBHOOK_SECRET', { TELEGRAM_WEBHOOK_SECRET: 'short' }],
    ['TELEGRAM_BOT_TOKEN', { TELEGRAM_WEBHOOK_SECRET: '0123456789abcdef' }],
    [
      'PUBLIC_URL',
      { TELEGRAM_BOT_TOKEN: `1:${'a'.repeat(30)}`, TELEGRAM_WEBHOOK_SECRET: '0123456789abcdef' },
    ],
    ['TURNPIKE_PORT', { TURNPIKE_PORT: '1' }],
    ['PORT', { PORT: 'eighty' }],
    ['PORT', { PORT: '70000' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'shop.example.net' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://shop.example.net/shop' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://db' }],
    ['DEMO', { DEMO: 'yes' }],
    ['DEMO', { DEMO: '1', PUBLIC_URL: 'https://shop.example.net' }],
    ['SECRET_KEY', { SECRET_KEY: 'short' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'true' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.1/33' }],
    ['COUNTRY_HEADER', { COUNTRY_HEADER: 'cf ipcountry', TRUST_PROXY: '10.0.0.1' }],
    ['COUNTRY_HEADER', { COUNTRY_HEADER: 'cf-ipcountry' }],
    ['GATEWAY_PORT_BASE', { GATEWAY_PORT_BASE: '65000' }],
    ['GATEWAY_WORKERS', { GATEWAY_WORKERS: '0' }],
    ['GATEWAY_TLS_CERT', { GATEWAY_TLS_CERT: 'a.crt,b.crt', GATEWAY_TLS_KEY: 'a.key' }],
    ['GATEWAY_TLS_KEY', { GATEWAY_TLS_KEY: 'a.key' }],
    ['GATEWAY_DRAIN_SECONDS', { GATEWAY_DRAIN_SECONDS: '-1' }],
    ['API_DRAIN_SECONDS', { API_DRAIN_SECONDS: '-1' }],
    ['EXIT_PROBE_SECONDS', { EXIT_PROBE_SECONDS: '0.5' }],
    ['SMTP_URL', { SMTP_URL: 'http://smtp.example.net', MAIL_FROM: 'a@example.net' }],
    ['SMTP_URL', { SMTP_URL: 'smtp.example.net', MAIL_FROM: 'a@example.net' }],
    ['MAIL_FROM', { SMTP_URL: 'smtp://smtp.example.net' }],
    ['MAIL_FROM', { MAIL_FROM: 'nobody' }],
    ['MAIL_FROM', { MAIL_FROM: 'Shop <a@example.net' }],
    ['MAIL_FROM', { MAIL_FROM: 'a@example.net>' }],
    ['GATEWAY_HOSTS', { GATEWAY_HOSTS: 'mars=mars.example.net' }],
    ['GATEWAY_HOSTS', { GATEWAY_HOSTS: 'eur=bad_host' }],
  ])('refuses with a sentence naming %s for %o', (name, env) => {
    expect(() => read(env)).toThrow(SettingFault)
    expect(() => read(env)).toThrow(new RegExp(name))
  })
})
