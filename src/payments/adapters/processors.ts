/** The processors that the settings name. */
import type { Cidr } from '#lib/ip'
import type { Secrets } from '#lib/secret'
import { btcpayMethod } from './btcpay.ts'
import { cryptobotMethod } from './cryptobot.ts'
import { starsMethod, type StarsSettings } from './stars/stars.ts'
import { stripeMethod } from './stripe.ts'
import { yookassaMethod } from './yookassa.ts'
import type { PaymentMethod } from '../method.ts'

export { sandboxMethod } from './sandbox.ts'
export { sandboxDesk } from './sandbox.desk.ts'
export { isStars, type StarsMethod, type StarsPayment } from './stars/stars.ts'

/** The settings of each processor; null: it is not used. */
export interface ProcessorSettings {
  card: { secretKey: string; webhookSecret: string; apiBase: URL; makesInvoices: boolean } | null
  yookassa: { shopId: string; secretKey: string; apiBase: URL; networks: Cidr[] } | null
  cryptobot: { token: string; apiBase: URL } | null
  crypto: { url: URL; apiKey: string; storeId: string; webhookSecret: string } | null
  stars: StarsSettings | null
}

/** The timeout of one request for a processor's page; there are at most three. */
const defaultTimeoutMs = 8000

/** The payment methods with settings, in the order they are offered. */
export function processors(
  settings: ProcessorSettings,
  {
    publicUrl,
    secrets,
    timeoutMs = defaultTimeoutMs,
  }: { publicUrl: URL; secrets: Secrets; timeoutMs?: number },
): PaymentMethod[] {
  const { card, yookassa, cryptobot, crypto, stars } = settings
  const common = { publicUrl, timeoutMs }
  return [
    ...(card === null ? [] : [stripeMethod({ ...card, ...common })]),
    ...(yookassa === null ? [] : [yookassaMethod({ ...yookassa, ...common })]),
    ...(cryptobot === null ? [] : [cryptobotMethod({ ...cryptobot, ...common })]),
    ...(crypto === null ? [] : [btcpayMethod({ ...crypto, ...common })]),
    ...(stars === null ? [] : [starsMethod({ ...stars, secrets, timeoutMs })]),
  ]
}
