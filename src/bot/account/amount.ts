/** Amounts of traffic that are written in the chat. */
import { bytesPerGb } from '#contract/wire'

/** "2,5" → bytes; null: no amount. Bounds are the call's. */
export function bytesOf(text: string): number | null {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(?:[.,](\d{1,3}))?(?:\s*(?:ГБ|GB))?$/iu.exec(text) ?? []
  return whole === ''
    ? null
    : Number(BigInt(whole) * bytesPerGb + BigInt(fraction.padEnd(3, '0')) * 1_000_000n)
}
