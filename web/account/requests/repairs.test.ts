import { describe, expect, it } from 'vitest'
import { proxyCodes } from '#contract/gateway/refusals'
import { capWindow, type Failed, repairHref } from './repairs.ts'

const hrefOf = (failed: Partial<Failed>) =>
  repairHref({ outcome: 'refused', code: null, pool: 'mobile', ...failed }, 'https://t.me/support')

describe('where a refused request is repaired', () => {
  it('carries what is known: the pool, the field, the address, the proxy user', () => {
    const capped = 'the traffic that you allow this pool per month is used up'
    expect(hrefOf({ code: 'cap_reached', sentence: capped })).toBe(
      '/account?tab=limits&pool=mobile&limits=month',
    )
    expect(hrefOf({ code: 'cap_reached' })).toContain('limits=day')
    expect(hrefOf({ code: 'target_denied' })).toContain('limits=denied')
    const strange = 'the address 203.0.113.7 is on no whitelist of the pool mobile'
    expect(hrefOf({ code: 'address_not_whitelisted', sentence: strange })).toBe(
      '/account?tab=whitelist&pool=mobile&ip=203.0.113.7',
    )
    expect(hrefOf({ code: 'user_expired', user: 'tpcrew' })).toBe(
      '/account?tab=proxyUsers&pool=mobile&user=tpcrew',
    )
    expect(hrefOf({ code: 'too_many_connections', user: 'tpcrew' })).toContain('tab=proxyUsers')
    expect(hrefOf({ code: 'too_many_connections' })).toContain('limits=connections')
    expect(hrefOf({ outcome: 'no_traffic' })).toBe('/purchase?pool=mobile')
    expect(hrefOf({ outcome: 'idle' })).toBeNull()
  })

  it('is known for every refusal of the gateway, and support for one of another release', () => {
    for (const code of proxyCodes) expect(() => hrefOf({ code, pool: null })).not.toThrow()
    expect(hrefOf({ code: 'of_tomorrow' })).toBe('https://t.me/support')
  })

  it('names the window of a cap only as the gateway does', () => {
    expect(capWindow('the traffic that you allow this pool per hour is used up')).toBe('hour')
    expect(capWindow(null)).toBeNull()
  })
})
