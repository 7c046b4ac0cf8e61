import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { settingNames, shopSettings } from '#contract/desk/shop-settings'
import { settingsPage, writeSettingsPage } from './settings.docs.ts'
import { listEnvironment, variableNames } from './settings.listed.ts'
import { sections } from './settings.meanings.ts'
import { readSettings } from './settings.ts'

const cwd = '/srv/shop'

/** Every secret is set, so that each group of variables is read whole. */
const secrets = {
  DATABASE_URL: 'postgres://shop:kept-from-all@db.example.net/shop',
  DATABASE_REPLICA_URL: 'postgres://shop:kept-from-all@replica.example.net/shop',
  SECRET_KEY: `kept-from-all ${'k'.repeat(40)}`,
  SECRET_KEY_OLD: `kept-from-all ${'o'.repeat(40)}`,
  METRICS_TOKEN: 'kept-from-all',
  SMTP_URL: 'smtps://shop:kept-from-all@smtp.example.net',
  TELEGRAM_BOT_TOKEN: '123456:kept-from-all_0123456789abcdef',
  TELEGRAM_WEBHOOK_SECRET: 'kept-from-all-0123456789',
  STRIPE_SECRET_KEY: 'sk_test_keptfromall0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_kept-from-all',
  YOOKASSA_SECRET_KEY: 'test_kept-from-all',
  CRYPTOPAY_TOKEN: '1:kept-from-all0123456789',
  BTCPAY_API_KEY: 'kept-from-all0123456789',
  BTCPAY_WEBHOOK_SECRET: 'kept-from-all',
  FEED_TOKEN: 'kept-from-all0123456789abcdef0123456789',
}
const env: Record<string, string> = {
  ...secrets,
  PUBLIC_URL: 'https://user:kept-from-all@shop.example.net',
  MAIL_FROM: 'Shop <no-reply@shop.example.net>',
  YOOKASSA_SHOP_ID: '12345',
  BTCPAY_URL: 'https://user:kept-from-all@btcpay.example.net',
  BTCPAY_STORE_ID: 'abcdefgh1234',
  FEED_LISTEN: 'tls://[::]:7000',
  FEED_TLS_CERT: 'feed.crt',
  FEED_TLS_KEY: 'feed.key',
  DESK_URL: 'https://desk.example.net',
  DESK_SUPPORT_GB: '12',
}

describe('the settings as they are shown', () => {
  it('are all that are read', () => {
    const read = new Set<string>()
    const watched = new Proxy(env, {
      get: (target, name) => {
        read.add(String(name))
        return target[String(name)]
      },
    })
    readSettings(watched, cwd)
    expect([...read].toSorted()).toEqual(variableNames.toSorted())
  })

  it('contain no secret, neither by name nor within an address', () => {
    const { environment } = listEnvironment(readSettings(env, cwd), { env, file: null })
    expect(JSON.stringify(environment)).not.toMatch(/kept.?from.?all/)
    for (const name of Object.keys(secrets))
      expect(environment.find((each) => each.name === name)).toEqual({
        name,
        source: 'environment',
        secret: true,
        value: null,
      })
  })

  it('name their source and what is in force', () => {
    const own = { PORT: '8080', DESK_LISTEN: '', GATEWAY_HOSTS: 'eur=eu.example.net,usa=us.example.net' }
    const { environment, file } = listEnvironment(readSettings(own, cwd), { env: own, file: '/etc/shop.env' })
    const of = (name: string) => environment.find((each) => each.name === name)
    expect(file).toBe('/etc/shop.env')
    expect(of('PORT')).toMatchObject({ source: 'file', value: '8080' })
    expect(of('HOST')).toMatchObject({ source: 'default', value: '127.0.0.1' })
    expect(of('DESK_LISTEN')).toMatchObject({ source: 'file', value: null })
    expect(of('GATEWAY_HOSTS')?.value).toBe('eur=eu.example.net, usa=us.example.net')
    expect(of('SECRET_KEY')).toMatchObject({ source: 'default', secret: true, value: null })
  })
})

describe('variables that pin settings of the shop', () => {
  it.each(settingNames.filter((name) => shopSettings[name].variable !== null))(
    'refuse nonsense: %s',
    (name) => {
      const variable = shopSettings[name].variable ?? ''
      for (const value of ['-1', '1e3', 'many', '99999999999999'])
        expect(() => readSettings({ [variable]: value }, cwd)).toThrow(variable)
    },
  )

  it('are read in the units of the settings', () => {
    const pinned = { DESK_SUPPORT_GB: '12', DESK_STEP_UP_USD: '0.5', USAGE_HOURS_MONTHS: '0' }
    expect(readSettings(pinned, cwd).pinned).toEqual({
      support_gb_per_day: 12n,
      step_up_micros: 500_000n,
      usage_hours_months: 0n,
    })
  })
})

describe('docs/settings.md', () => {
  it('gives the meaning of each variable that is read, and of no other', () => {
    const described = sections.flatMap(({ variables }) => Object.keys(variables))
    expect(described.toSorted()).toEqual(variableNames.toSorted())
  })

  it('equals the page that is generated from the table', () => {
    expect(readFileSync(settingsPage, 'utf8')).toBe(writeSettingsPage())
  })
})
