import { describe, expect, it } from 'vitest'
import { balanceOf, disabledPools, knownPools, usablePool, usablePools } from './profile.ts'

const none = { balance: 0, balance_format: '0 GB', password: null }
const some = (balance: number | string) => ({ balance, balance_format: '', password: 'p' })
const empty = { residential: none, residential_premium: none, datacenter: none, mobile: none }

describe('the pools of a user', () => {
  it('are usable with a balance above 0', () => {
    const user = { ...empty, datacenter: some(5000), mobile: some(0.000001) }
    expect(balanceOf(user, 'datacenter')).toBe(5_000_000_000n)
    expect(usablePools(user)).toEqual(['datacenter', 'mobile'])
    expect(disabledPools(user, 'why')).toEqual({ residential: 'why', residential_premium: 'why' })
  })
  it('are replaced by the first usable one if they are not usable', () => {
    const user = { ...empty, datacenter: some(5000) }
    expect(usablePool(user, 'datacenter')).toBe('datacenter')
    expect(usablePool(user, 'residential')).toBe('datacenter')
  })
  it('are known where they had a balance, and can be requested then', () => {
    const user = { ...empty, datacenter: some(5000), mobile: some(0) }
    expect(knownPools(user)).toEqual(['datacenter', 'mobile'])
    expect(usablePool(user, 'mobile', knownPools(user))).toBe('mobile')
    expect(usablePool(user, 'residential', knownPools(user))).toBe('datacenter')
  })
  it('are replaced by a used-up one if none is usable', () => {
    const user = { ...empty, mobile: some(0) }
    expect(usablePool(user, 'residential', knownPools(user))).toBe('mobile')
  })
  it('stay as requested where none is usable', () => {
    expect(usablePool(empty, 'mobile')).toBe('mobile')
  })
})
