/** The limits of a promo code as typed. */
import type { DeskInput } from '#contract/desk/contract'
import { type Pool, pools } from '#contract/wire'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'
import { timeOfLocal } from '../../parts/local-time.ts'

export interface LimitDraft {
  /** Empty: no limit. */
  uses: string
  perPerson: string
  /** A time in the format of `datetime-local`; empty: never. */
  until: string
  firstPurchase: boolean
  /** Empty: any. */
  pools: readonly Pool[]
}

export const noLimits: LimitDraft = { uses: '', perPerson: '1', until: '', firstPurchase: false, pools: [] }

type Limits = Omit<DeskInput<'change_promo_code'>, 'code' | 'reason'>

const mostUses = 1_000_000_000
const mostPerPerson = 1000

/** The limits to send; null while a field is wrong. A traffic code has no limits on purchases and pools. */
export function limitsOf(draft: LimitDraft, kind: 'discount' | 'traffic'): Limits | null {
  const uses = draft.uses.trim() === '' ? null : wholeNumberIn(draft.uses, mostUses)
  const isLimited = draft.uses.trim() !== ''
  const perPerson = wholeNumberIn(draft.perPerson, mostPerPerson)
  if ((isLimited && !uses) || !perPerson) return null
  const chosen = pools.filter((pool) => draft.pools.includes(pool))
  const isAny = kind === 'traffic' || chosen.length === 0 || chosen.length === pools.length
  return {
    max_uses: uses,
    uses_per_person: perPerson,
    first_purchase: kind === 'discount' && draft.firstPurchase,
    pools: isAny ? null : chosen,
    expires_at: timeOfLocal(draft.until),
  }
}
