/** Parses amounts of traffic from messages. */
import { bytesPerGb } from '#contract/wire'

/** "2,5" → bytes; null: the text is no amount. The call checks the bounds. */
export function bytesOf(text: string): number | null {
  const [, whole = '', fraction = ''] = /^(\d{1,7})(?:[.,](\d{1,3}))?(?:\s*(?:ГБ|GB))?$/iu.exec(text) ?? []
  return whole === ''
    ? null
    : Number(BigInt(whole) * bytesPerGb + BigInt(fraction.padEnd(3, '0')) * 1_000_000n)
}
