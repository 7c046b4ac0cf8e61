/** The settings of the payment processors: each is configured completely or not at all. */
import { type Cidr, parseCidr } from '#lib/ip'
import { usdFromText, usdText } from '#lib/money'
import type { ProcessorSettings } from '#payments/adapters'
import { type Env, flag, isLocalHost, SettingFault, text, url } from './settings.env.ts'

export type PaymentSettings = ProcessorSettings

/** The networks of YooKassa's notifications, from its documentation. */
const yookassaNetworks = [
  '185.71.76.0/27',
  '185.71.77.0/27',
  '77.75.153.0/25',
  '77.75.154.128/25',
  '77.75.156.11',
  '77.75.156.35',
  '2a02:5180::/32',
].join(',')

/** A variable as docs/settings.md and the desk show it. */
export interface PaymentVariable {
  /** The meaning in Markdown, with the default in brackets. */
  meaning: string
  /** Returns the value in force; null: a secret, for which only whether it is set is shown. */
  shown: ((payments: PaymentSettings) => string | number | null) | null
}

/** The variables of all processors. */
export const paymentVariables: Readonly<Record<string, PaymentVariable>> = {
  STRIPE_SECRET_KEY: { meaning: 'payment method `card` (Stripe Checkout) (none)', shown: null },
  STRIPE_WEBHOOK_SECRET: { meaning: 'the secret of its webhook (none)', shown: null },
  STRIPE_INVOICES: {
    meaning: '1: Stripe makes an invoice of its own for the payer (0)',
    shown: ({ card }) => (card === null ? null : Number(card.makesInvoices)),
  },
  STRIPE_API_BASE: {
    meaning: 'another address of its API (Stripe’s)',
    shown: ({ card }) => card?.apiBase.origin ?? null,
  },
  YOOKASSA_SHOP_ID: {
    meaning: 'payment method `yookassa`; it charges RUB at the rate of `turnpike rates set RUB …` (none)',
    shown: ({ yookassa }) => yookassa?.shopId ?? null,
  },
  YOOKASSA_SECRET_KEY: { meaning: 'its key (none)', shown: null },
  YOOKASSA_WEBHOOK_CIDRS: {
    meaning: 'networks from which its webhooks are accepted (YooKassa’s)',
    shown: ({ yookassa }) => yookassa?.networks.length ?? null,
  },
  YOOKASSA_API_BASE: {
    meaning: 'another address of its API (YooKassa’s)',
    shown: ({ yookassa }) => yookassa?.apiBase.origin ?? null,
  },
  CRYPTOPAY_TOKEN: { meaning: 'payment method `cryptobot` (Crypto Pay) (none)', shown: null },
  CRYPTOPAY_API_BASE: {
    meaning: 'another address of its API (Crypto Pay’s)',
    shown: ({ cryptobot }) => cryptobot?.apiBase.origin ?? null,
  },
  BTCPAY_URL: {
    meaning: 'payment method `crypto` (BTCPay Server): its address (none)',
    shown: ({ crypto }) => crypto?.url.origin ?? null,
  },
  BTCPAY_API_KEY: { meaning: 'its key (none)', shown: null },
  BTCPAY_STORE_ID: { meaning: 'its store (none)', shown: ({ crypto }) => crypto?.storeId ?? null },
  BTCPAY_WEBHOOK_SECRET: { meaning: 'the secret of its webhook (none)', shown: null },
  STARS_PER_USD: {
    meaning:
      'payment method `stars` ([Telegram Stars](operator.md#telegram-stars)): how many stars a dollar costs (none)',
    shown: ({ stars }) => (stars === null ? null : usdText(stars.perUsdMicros)),
  },
}

/** Throws `SettingFault` for a processor that is configured incompletely or with invalid values. */
export function readPayments(env: Env, telegram: { token: string | null; apiRoot: string }): PaymentSettings {
  return {
    card: readStripe(env),
    yookassa: readYookassa(env),
    cryptobot: readCryptobot(env),
    crypto: readBtcpay(env),
    stars: readStars(env, telegram),
  }
}

function readStripe(env: Env): PaymentSettings['card'] {
  const needed = {
    STRIPE_SECRET_KEY: { pattern: /^[sr]k_(test|live)_\w{8,}$/, example: 'sk_live_…' },
    STRIPE_WEBHOOK_SECRET: { pattern: /^whsec_\S{8,}$/, example: 'whsec_…' },
  }
  const found = wholeGroup(env, 'card', needed, ['STRIPE_API_BASE', 'STRIPE_INVOICES'])
  if (found === null) return null
  return {
    secretKey: found.STRIPE_SECRET_KEY,
    webhookSecret: found.STRIPE_WEBHOOK_SECRET,
    apiBase: apiBase(env, 'STRIPE_API_BASE', 'https://api.stripe.com'),
    makesInvoices: flag(env, 'STRIPE_INVOICES') ?? false,
  }
}

function readYookassa(env: Env): PaymentSettings['yookassa'] {
  const needed = {
    YOOKASSA_SHOP_ID: { pattern: /^\d{1,20}$/, example: '123456' },
    YOOKASSA_SECRET_KEY: { pattern: /^(test|live)_[\w-]{8,}$/, example: 'live_…' },
  }
  const optional = ['YOOKASSA_API_BASE', 'YOOKASSA_WEBHOOK_CIDRS']
  const found = wholeGroup(env, 'yookassa', needed, optional)
  if (found === null) return null
  return {
    shopId: found.YOOKASSA_SHOP_ID,
    secretKey: found.YOOKASSA_SECRET_KEY,
    apiBase: apiBase(env, 'YOOKASSA_API_BASE', 'https://api.yookassa.ru'),
    networks: networks(env, 'YOOKASSA_WEBHOOK_CIDRS', yookassaNetworks),
  }
}

function readCryptobot(env: Env): PaymentSettings['cryptobot'] {
  const needed = { CRYPTOPAY_TOKEN: { pattern: /^\d{1,20}:[\w-]{16,}$/, example: '12345:AA…' } }
  const found = wholeGroup(env, 'cryptobot', needed, ['CRYPTOPAY_API_BASE'])
  if (found === null) return null
  return {
    token: found.CRYPTOPAY_TOKEN,
    apiBase: apiBase(env, 'CRYPTOPAY_API_BASE', 'https://pay.crypt.bot'),
  }
}

function readBtcpay(env: Env): PaymentSettings['crypto'] {
  const needed = {
    BTCPAY_URL: { pattern: /^https?:/, example: 'https://btcpay.example.com' },
    BTCPAY_API_KEY: { pattern: /^[\w-]{16,}$/, example: 'a1b2c3d4e5f6a7b8…' },
    BTCPAY_STORE_ID: { pattern: /^\w{8,64}$/, example: '9CiNzKoANXxmk5ay…' },
    // Without a secret BTCPay signs with an empty key, so its notifications prove nothing.
    BTCPAY_WEBHOOK_SECRET: { pattern: /^\S{12,}$/, example: '2ULWfyJ8kwQs…' },
  }
  const found = wholeGroup(env, 'crypto', needed, [])
  if (found === null) return null
  return {
    url: apiBase(env, 'BTCPAY_URL', found.BTCPAY_URL),
    apiKey: found.BTCPAY_API_KEY,
    storeId: found.BTCPAY_STORE_ID,
    webhookSecret: found.BTCPAY_WEBHOOK_SECRET,
  }
}

/** Stars use the shop's bot, so a price in stars alone enables them as a payment method. */
function readStars(
  env: Env,
  { token, apiRoot }: { token: string | null; apiRoot: string },
): PaymentSettings['stars'] {
  const price = text(env, 'STARS_PER_USD')
  if (price === null) return null
  const perUsdMicros = usdFromText(price)
  if (perUsdMicros === null || perUsdMicros < 1_000_000n || perUsdMicros > 1_000_000_000n)
    throw new SettingFault('STARS_PER_USD must be a decimal number from 1 to 1000, such as 76.5.', {
      kind: 'shape',
      variable: 'STARS_PER_USD',
      example: '76.5',
    })
  if (token === null)
    throw new SettingFault('STARS_PER_USD needs TELEGRAM_BOT_TOKEN: the bot takes the stars.', {
      kind: 'missing',
      variable: 'TELEGRAM_BOT_TOKEN',
      needs: 'STARS_PER_USD, TELEGRAM_BOT_TOKEN',
    })
  return { token, apiRoot, perUsdMicros }
}

/** How the value of a variable looks: `example` is shown to whoever has entered another one. */
interface Form {
  pattern: RegExp
  example: string
}

/**
 * The required variables of a payment method; null when none of its variables is set. Faults do not repeat
 * their values, because they are secrets.
 */
function wholeGroup<Name extends string>(
  env: Env,
  method: string,
  needed: Record<Name, Form>,
  optional: string[],
): Record<Name, string> | null {
  const names = Object.keys(needed) as Name[]
  const set = [...names, ...optional].filter((name) => text(env, name) !== null)
  if (set.length === 0) return null
  const found = names.map((name) => {
    const value = text(env, name)
    if (value === null)
      throw new SettingFault(
        `${name} is missing or empty: the payment method ${method} needs ${names.join(', ')}, and ${set.join(', ')} is set.`,
        { kind: 'missing', variable: name, needs: names.join(', ') },
      )
    const { pattern, example } = needed[name]
    if (!pattern.test(value))
      throw new SettingFault(`${name} does not look like what it must be. Copy it anew from the processor.`, {
        kind: 'shape',
        variable: name,
        example,
      })
    return [name, value]
  })
  return Object.fromEntries(found) as Record<Name, string>
}

/**
 * The address of a processor. Keys are sent to it, so http is accepted only on this machine or in a private
 * network.
 */
function apiBase(env: Env, name: string, usual: string): URL {
  const base = url(env, name) ?? new URL(usual)
  const isNear = isLocalHost(base.hostname) || !base.hostname.includes('.')
  if (base.protocol !== 'https:' && !isNear)
    throw new SettingFault(`${name} must begin with https://, for keys are sent there.`)
  return base
}

function networks(env: Env, name: string, usual: string): Cidr[] {
  return (text(env, name) ?? usual).split(',').map((part) => {
    const network = parseCidr(part.trim())
    if (network === null)
      throw new SettingFault(`${name} lists addresses or networks; “${part.trim()}” is neither.`)
    return network
  })
}
