/**
 * The services that the shop of the pictures talks to, all on this machine: Telegram, a processor of cards, a
 * seller of traffic.
 */
import { type FakeTelegram, fakeTelegram } from '#test/telegram'
import { FakeStripe } from '../processors/stripe.ts'
import { FakeSeller, sellerCases } from '../sellers/fakes.ts'

interface Fakes {
  telegram: FakeTelegram
  stripe: FakeStripe
  seller: FakeSeller
  /** The input with which the seller's account is added. */
  sellerAccount: { seller: string; credentials: Record<string, string> }
}

let started: Fakes | null = null

/** The started services. */
export function fakes(): Fakes {
  if (started === null) throw new Error('the fakes were not started')
  return started
}

const unit = 2n ** 30n
const today = () => new Date().toISOString().slice(0, 10)

/** Starts the services. `env`: the settings with which a shop uses them. */
export async function startFakes(): Promise<{ env: Record<string, string>; close: () => Promise<void> }> {
  const telegram = await fakeTelegram({ botName: 'turnpike_bot' })
  const stripe = new FakeStripe()
  const found = sellerCases.find(({ name }) => name === 'dataimpulse')
  if (found === undefined) throw new Error('there is no such seller')
  const seller = new FakeSeller(found.answers, {
    today: today(),
    leftBytes: 840n * unit,
    usage: new Map([[today(), 12n * unit]]),
    countries: { US: 41_200, DE: 18_300, GB: 15_900, FR: 9100, BR: 22_400, IN: 30_700 },
  })
  await Promise.all([stripe.start(), seller.start()])
  const sellerAccount = { seller: found.name, credentials: found.credentials }
  started = { telegram, stripe, seller, sellerAccount }
  return {
    env: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_BOT_NAME: telegram.botName,
      TELEGRAM_API_ROOT: telegram.apiRoot,
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_BASE: stripe.url.href,
      AUTO_TOP_UP: 'card',
      SELLER_API_BASES: `${found.name}=${seller.url.href}`,
    },
    close: async () => {
      stripe.stop()
      seller.stop()
      await telegram.close()
    },
  }
}
