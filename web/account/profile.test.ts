import { describe, expect, it } from 'vitest'
import { balanceOf, closedPools, poolInUse, usablePools } from './profile.ts'

const none = { balance: 0, balance_format: '0 GB', password: null }
const some = (balance: number | string) => ({ balance, balance_format: '', password: 'p' })
const dry = { residential: none, residential_premium: none, datacenter: none, mobile: none }

describe('the pools of a user', () => {
  it('are usable when their balance is above 0', () => {
    const user = { ...dry, datacenter: some(5000), mobile: some(0.000001) }
    expect(balanceOf(user, 'datacenter')).toBe(5_000_000_000n)
    expect(usablePools(user)).toEqual(['datacenter', 'mobile'])
    expect(closedPools(user, 'why')).toEqual({ residential: 'why', residential_premium: 'why' })
  })
  it('the first usable one stands in for one that is not', () => {
    const user = { ...dry, datacenter: some(5000) }
    expect(poolInUse(user, 'datacenter')).toBe('datacenter')
    expect(poolInUse(user, 'residential')).toBe('datacenter')
  })
  it('with none usable the wanted one stays', () => {
    expect(poolInUse(dry, 'mobile')).toBe('mobile')
  })
})
