import { describe, expect, it } from 'vitest'
import { variableNames, variableOf } from '#contract/desk/variables'
import { secretsOf } from '#lib/secret'
import { processors } from '#payments/adapters'
import { SettingFault } from './settings.ts'
import { paymentVariables, readPayments } from './settings.payments.ts'

const whole = {
  STRIPE_SECRET_KEY: 'sk_live_0123456789',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
  YOOKASSA_SHOP_ID: '424242',
  YOOKASSA_SECRET_KEY: 'live_0123456789abcdef',
  CRYPTOPAY_TOKEN: '12345:AAabcdefghijklmnopqrstuvwxyz',
  BTCPAY_URL: 'https://btcpay.example.net',
  BTCPAY_API_KEY: '0123456789abcdef0123456789abcdef',
  BTCPAY_STORE_ID: '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776',
  BTCPAY_WEBHOOK_SECRET: 'a secret of twelve'.replaceAll(' ', '-'),
}
const noBot = { token: null, apiRoot: 'https://api.telegram.org' }
const bot = { ...noBot, token: '123456:of_a_bot_0123456789abcdef' }

it('variables without a value to show are secret at the desk, and no others', () => {
  const atDesk = variableNames.filter((name) => name in paymentVariables)
  expect(atDesk.length).toBeGreaterThan(5)
  for (const name of atDesk)
    expect(variableOf(name).isSecret === true, name).toBe(paymentVariables[name]?.shown === null)
})

describe('settings of processors', () => {
  it('are none when all variables are unset or empty', () => {
    const none = readPayments({}, bot)
    expect(Object.values(none).every((one) => one === null)).toBe(true)
    expect(
      readPayments({ ...whole, ...Object.fromEntries(Object.keys(whole).map((name) => [name, ' '])) }, bot),
    ).toEqual(none)
  })

  it('give the methods in the order they are offered', () => {
    const publicUrl = new URL('https://shop.example.net')
    const secrets = secretsOf('a key of more than thirty-two characters')
    const names = processors(readPayments({ ...whole, STARS_PER_USD: '76.5' }, bot), {
      publicUrl,
      secrets,
    }).map(({ name }) => name)
    expect(names).toEqual(['card', 'yookassa', 'cryptobot', 'crypto', 'stars'])
    expect(readPayments(whole, noBot)).toMatchObject({
      card: { apiBase: new URL('https://api.stripe.com') },
      yookassa: { apiBase: new URL('https://api.yookassa.ru') },
      cryptobot: { apiBase: new URL('https://pay.crypt.bot') },
    })
  })

  it.each(Object.keys(whole).filter((name) => name !== 'CRYPTOPAY_TOKEN'))(
    'refuse a start without %s, or with it empty, naming it and no secret',
    (name) => {
      for (const value of [undefined, '', '  ']) {
        const read = () => readPayments({ ...whole, [name]: value }, noBot)
        expect(read).toThrow(SettingFault)
        expect(read).toThrow(name)
        expect(read).not.toThrow(/0123456789|twelve/)
      }
    },
  )

  it.each([
    ['STRIPE_SECRET_KEY', 'pk_live_0123456789'],
    ['STRIPE_WEBHOOK_SECRET', 'we_0123456789'],
    ['YOOKASSA_SHOP_ID', 'shop'],
    ['YOOKASSA_WEBHOOK_CIDRS', '10.0.0.0/8, everywhere'],
    ['CRYPTOPAY_TOKEN', 'token'],
    ['CRYPTOPAY_API_BASE', 'http://pay.example.net'],
    ['BTCPAY_URL', 'ftp://btcpay.example.net'],
    ['BTCPAY_URL', 'http://btcpay.example.net'],
    ['BTCPAY_WEBHOOK_SECRET', 'short'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => readPayments({ ...whole, [name]: value }, noBot)).toThrow(name)
  })

  it('refuse an address without its keys', () => {
    expect(() => readPayments({ STRIPE_API_BASE: 'http://127.0.0.1:9' }, noBot)).toThrow(
      'STRIPE_SECRET_KEY is missing',
    )
    expect(() => readPayments({ CRYPTOPAY_API_BASE: 'http://127.0.0.1:9' }, noBot)).toThrow(
      'CRYPTOPAY_TOKEN is missing',
    )
  })

  it.each(['0', '0.5', '1001', '-76', '76,5', '1e3', '76.1234567', 'many'])(
    'refuse a price of %s stars for a dollar',
    (price) => {
      expect(() => readPayments({ STARS_PER_USD: price }, bot)).toThrow('STARS_PER_USD must be')
    },
  )

  it('take stars only with a bot, at the exact price of the operator', () => {
    expect(() => readPayments({ STARS_PER_USD: '76.5' }, noBot)).toThrow(
      'STARS_PER_USD needs TELEGRAM_BOT_TOKEN',
    )
    expect(readPayments({ STARS_PER_USD: '76.923077' }, bot).stars).toEqual({
      ...bot,
      perUsdMicros: 76_923_077n,
    })
    expect(readPayments({}, bot).stars).toBeNull()
  })

  it('accept http for a server in a private network', () => {
    expect(readPayments({ ...whole, BTCPAY_URL: 'http://btcpayserver:49392' }, noBot).crypto?.url.port).toBe(
      '49392',
    )
  })
})
