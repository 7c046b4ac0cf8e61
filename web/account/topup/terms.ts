/** The form of automatic top-up: typed numbers to terms. */
import type { Input } from '#contract/contract'
import { bytesPerGb, type Pool } from '#contract/wire'
import { withPoint } from '../decimal-text.ts'

export interface TypedTerms {
  pool: Pool
  methodId: string
  /** GB, with at most three decimal places. */
  below: string
  /** Whole GB. */
  gb: string
  /** USD, with at most two decimal places. */
  month: string
}

type TermField = 'below' | 'gb' | 'month'

/** The terms; or the fields that are not numbers in their bounds. */
export function readTerms(typed: TypedTerms): { terms: Input<'set_top_up'> } | { wrong: TermField[] } {
  const [below, gb, month] = [withPoint(typed.below), typed.gb.trim(), withPoint(typed.month)]
  const wrong: TermField[] = []
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(below) || Number(below) < 0.001) wrong.push('below')
  if (!/^[1-9]\d{0,6}$/.test(gb)) wrong.push('gb')
  if (!/^\d{1,6}(\.\d{1,2})?$/.test(month) || Number(month) < 0.01) wrong.push('month')
  if (wrong.length === 0 && Number(below) > Number(gb)) wrong.push('gb')
  if (wrong.length > 0) return { wrong }
  return {
    terms: {
      pool: typed.pool,
      method_id: typed.methodId,
      below_bytes: Math.round(Number(below) * Number(bytesPerGb)),
      gb: Number(gb),
      month_usd: Number(month),
      consent: '',
    },
  }
}
