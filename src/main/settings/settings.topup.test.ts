import { describe, expect, it } from 'vitest'
import { SettingFault } from './settings.ts'
import { readPayments } from './settings.payments.ts'
import { readAutomatic } from './settings.topup.ts'

const keys = { STRIPE_SECRET_KEY: 'sk_live_0123456789', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' }
const noBot = { token: null, apiRoot: 'https://api.telegram.org' }
const read = (env: Record<string, string>, demo = false) => [
  ...readAutomatic(env, { payments: readPayments(env, noBot), demo }),
]

describe('AUTO_TOP_UP', () => {
  it('allows no method unless it is set, except the play money of a demo', () => {
    expect(read(keys)).toEqual([])
    expect(read(keys, true)).toEqual(['sandbox'])
    expect(read({ ...keys, AUTO_TOP_UP: 'card' })).toEqual(['card'])
  })

  it('accepts methods that can charge automatically and are configured', () => {
    expect(() => read({ ...keys, AUTO_TOP_UP: 'crypto' })).toThrow(SettingFault)
    expect(() => read({ ...keys, AUTO_TOP_UP: 'card,yookassa' })).toThrow('yookassa, which has no settings')
  })
})
