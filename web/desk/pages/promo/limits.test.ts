import { describe, expect, it } from 'vitest'
import { localOf } from '../../parts/local-time.ts'
import { limitsOf, noLimits } from './limits.ts'

describe('the limits of a promo code', () => {
  it('are none for a new code, except one use per customer', () =>
    expect(limitsOf(noLimits, 'discount')).toEqual({
      max_uses: null,
      uses_per_person: 1,
      first_purchase: false,
      pools: null,
      expires_at: null,
    }))

  it('are sent as typed, and only those of its kind', () => {
    const draft = { ...noLimits, uses: '5', perPerson: '2', firstPurchase: true, pools: ['mobile' as const] }
    const both = { max_uses: 5, uses_per_person: 2 }
    expect(limitsOf(draft, 'discount')).toMatchObject({ ...both, first_purchase: true, pools: ['mobile'] })
    expect(limitsOf(draft, 'traffic')).toMatchObject({ ...both, first_purchase: false, pools: null })
  })

  it('of all pools are none', () =>
    expect(
      limitsOf(
        { ...noLimits, pools: ['mobile', 'datacenter', 'residential', 'residential_premium'] },
        'discount',
      )?.pools,
    ).toBeNull())

  it.each([{ uses: '0' }, { uses: 'many' }, { perPerson: '' }, { perPerson: '0' }])(
    'are refused with %j',
    (wrong) => expect(limitsOf({ ...noLimits, ...wrong }, 'discount')).toBeNull(),
  )

  it('keep the end of a code', () => {
    const until = localOf('2026-11-23T12:30:00.000Z')
    expect(limitsOf({ ...noLimits, until }, 'discount')?.expires_at).toBe('2026-11-23T12:30:00.000Z')
  })
})
