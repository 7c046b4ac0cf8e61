/**
 * The payload of an invoice of Telegram Stars: our number, the cost and the price in stars, with an HMAC by
 * SECRET_KEY. Telegram shows the payload to nobody but the bot, and returns it with the payment. The HMAC
 * distinguishes our invoices from those that another program made with the same bot.
 */
import type { Secrets } from '#lib/secret'

export interface StarsPayload {
  number: string
  /** The cost of the invoice in micro-USD. */
  micros: bigint
  stars: bigint
}

const purpose = 'invoices in Telegram Stars'

/** At most 100 bytes; Telegram takes 128. */
export function printPayload(secrets: Secrets, { number, micros, stars }: StarsPayload): string {
  const text = `${number}.${micros}.${stars}`
  return `${text}.${secrets.sign(text, purpose).toString('base64url')}`
}

/** Null: not a payload of this shop. */
export function readPayload(secrets: Secrets, payload: string): StarsPayload | null {
  const [, text = '', number = '', micros = '', stars = '', signature = ''] =
    /^(([\w-]{1,32})\.(\d{1,15})\.(\d{1,9}))\.([\w-]{43})$/.exec(payload) ?? []
  if (text === '' || !secrets.isSigned(text, Buffer.from(signature, 'base64url'), purpose)) return null
  return { number, micros: BigInt(micros), stars: BigInt(stars) }
}

/** The price in whole stars, rounded up; both factors are millionths. */
export const starsFor = (costMicros: bigint, perUsdMicros: bigint): bigint =>
  (costMicros * perUsdMicros + 999_999_999_999n) / 1_000_000_000_000n
