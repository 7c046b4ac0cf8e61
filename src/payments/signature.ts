/** Verification steps that all processors' signatures share. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from '#lib/refusal'
import type { RawWebhook } from './method.ts'

/**
 * Whether hex text is the HMAC-SHA256 of these bytes: compares the length first, then the bytes in constant
 * time.
 */
export function isSignedWith(key: string | Buffer, signed: (string | Buffer)[], hex: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(hex)) return false
  const hmac = createHmac('sha256', key)
  for (const part of signed) hmac.update(part)
  return timingSafeEqual(hmac.digest(), Buffer.from(hex, 'hex'))
}

/** The value of a header that occurs exactly once; empty otherwise. */
export function headerOf(webhook: RawWebhook, name: string): string {
  const value = webhook.headers[name]
  return typeof value === 'string' ? value : ''
}

export const forged = () => new Refusal('invalid_webhook_signature')

/** How far the clock of a processor may be ahead of ours. */
const aheadMs = 5 * 60_000

/**
 * Whether a notification's own time is plausible: an old one could be a replay, one from the future could be
 * stored for a later replay.
 */
export function isTimely(moment: Date, now: Date, maxAgeMs: number): boolean {
  const ageMs = now.getTime() - moment.getTime()
  return ageMs <= maxAgeMs && ageMs >= -aheadMs
}
