/** All stories, and the shop they run against. */
import { Refusal } from '#lib/refusal'
import type { AppOptions } from '../app.ts'
import { balance } from './balance.ts'
import { invoices, prices, promoCodes, receipts, referral } from './buying.ts'
import { besides, content } from './content.ts'
import { limits } from './limits.ts'
import { moves } from './moves.ts'
import { payouts } from './payouts.ts'
import { byTelegram, letters, ownAccount, resellers, signingIn, signingUp } from './people.ts'
import { teams } from './teams.ts'
import { topUps } from './topup.ts'
import { access, geography, lines, requests, statistics } from './proxies.ts'
import { presets } from './presets.ts'
import { users } from './users.ts'
import { everyFault, everyKeyFault, everyPace } from './every.ts'
import { anotherEmail, ownSessions, secondFactors, secondSteps } from './security.ts'
import type { Story } from './story.ts'

/** Each on a separate database. */
export const chapters: Record<string, (story: Story) => Promise<void>> = {
  'signing up': signingUp,
  'signing in': signingIn,
  'signing in by Telegram': byTelegram,
  letters,
  'one’s own account': ownAccount,
  resellers,
  teams,
  'second factors': secondFactors,
  'second steps': secondSteps,
  'own sessions': ownSessions,
  'another e-mail address': anotherEmail,
  prices,
  'promo codes': promoCodes,
  invoices,
  receipts,
  'automatic top-up': topUps,
  'the referral balance': referral,
  'the money balance': balance,
  geography,
  'proxy lines': lines,
  'passwords and whitelists': access,
  'limits of a pool': limits,
  'proxy users': users,
  'presets and trials': presets,
  'moved gigabytes': moves,
  'payouts of the referral balance': payouts,
  statistics,
  'single requests': requests,
  'what the operator says': content,
  'what is no call': besides,
  'faults of a request': everyFault,
  'keys of repeated calls': everyKeyFault,
  'too many requests': everyPace,
}

/**
 * A shop with a bot, hosts in two regions, a processor that never answers, and one that registers receipts.
 */
export const equipment: AppOptions = {
  env: {
    TELEGRAM_BOT_TOKEN: '424242:AAFakeTokenOfAGoldenBot_0123456789',
    TELEGRAM_BOT_NAME: 'golden_bot',
    GATEWAY_HOSTS: 'eur=eu.example.net,usa=us.example.net',
    GATEWAY_HOST: 'proxy.example.net',
    YOOKASSA_SHOP_ID: '424242',
    YOOKASSA_SECRET_KEY: 'live_keyOfAGoldenShop',
    RECEIPTS: 'yookassa',
    RECEIPTS_VAT_CODE: '1',
  },
  methods: [
    {
      name: 'card',
      description: { ru: '<p>Карта.</p>', en: '<p>Card.</p>' },
      currency: 'USD',
      leastMicros: 500_000n,
      create: async () => {
        throw new Refusal('payment_failed')
      },
      prove: () => {
        throw new Refusal('invalid_webhook_signature')
      },
      read: () => ({ kind: 'nothing', verdict: 'ignored' }),
    },
    {
      // Not offered before its rate is set.
      name: 'yookassa',
      description: { ru: '<p>В рублях.</p>', en: '<p>In roubles.</p>' },
      currency: 'RUB',
      create: async ({ number }) => ({ externalId: number, paymentUrl: 'https://pay.example.net/yookassa' }),
      prove: () => {
        throw new Refusal('invalid_webhook_signature')
      },
      read: () => ({ kind: 'nothing', verdict: 'ignored' }),
    },
  ],
}
