import { describe, expect, it } from 'vitest'
import { emptyForm, toForm, toInput, type ProxyUser } from './user-form.ts'

const user: ProxyUser = {
  number: 1,
  label: 'Berlin',
  login: 'u4k2m9xbcdfg',
  password: 'secret',
  frozen: false,
  deleted_at: null,
  reserved: false,
  external_id: null,
  created_at: '2026-11-02T09:30:00.000Z',
  total_bytes: 10_500_000_000,
  day_bytes: null,
  month_bytes: 0,
  connections: 20,
  expires_at: '2026-12-31T21:00:00.000Z',
  allowed_hosts: ['*.example.com', 'example.com'],
  countries: ['de', 'fr'],
  denied_countries: [],
  no_double_tariff: true,
  addresses: ['203.0.113.0/24'],
  metadata: { plan: 'basic = 1' },
  used: { total_bytes: 0, day_bytes: 0, month_bytes: 0, requests: 0, last_at: null },
}

describe('the form of a proxy user', () => {
  it('sends back its initial values', () => {
    expect(toInput(toForm(user, 'ru'), false, user.login)).toEqual({
      label: 'Berlin',
      total_bytes: 10_500_000_000,
      day_bytes: null,
      month_bytes: 0,
      connections: 20,
      expires_at: '2026-12-31T21:00:00.000Z',
      allowed_hosts: ['*.example.com', 'example.com'],
      countries: ['de', 'fr'],
      denied_countries: [],
      no_double_tariff: true,
      addresses: ['203.0.113.0/24'],
      metadata: { plan: 'basic = 1' },
    })
  })

  it('sends countries as denied where they are the exceptions', () => {
    const form = toForm({ ...user, countries: [], denied_countries: ['ru'] }, 'ru')
    expect(toInput(form, false, user.login)).toMatchObject({ countries: [], denied_countries: ['ru'] })
    expect(toInput({ ...form, isExcept: false }, false, user.login)).toMatchObject({
      countries: ['ru'],
      denied_countries: [],
    })
  })

  it('sets no limit for a blank field, and accepts a comma as decimal separator', () => {
    const input = toInput({ ...emptyForm, label: ' a ', day: '1,5', countries: ['de', 'fr'] }, true)
    expect(input).toMatchObject({
      label: 'a',
      day_bytes: 1_500_000_000,
      total_bytes: null,
      countries: ['de', 'fr'],
    })
  })

  it('sends a login that was changed, and metadata as pairs', () => {
    const form = { ...emptyForm, label: 'a', login: ' acme.anna ', metadata: 'plan = basic\n\ncrm=7' }
    expect(toInput(form, true)).toMatchObject({ login: 'acme.anna', metadata: { plan: 'basic', crm: '7' } })
    expect(toInput({ ...emptyForm, label: 'a' }, true)).not.toHaveProperty('login')
  })

  it('sets a reserve for a new proxy user, and never changes it', () => {
    const form = { ...emptyForm, label: 'a', reserved: true, total: '' }
    expect(toInput(form, true)).toMatchObject({ reserved: true, total_bytes: 0 })
    expect(toInput({ ...form, total: '2' }, true)).toMatchObject({
      reserved: true,
      total_bytes: 2_000_000_000,
    })
    const edited = toInput(toForm({ ...user, reserved: true }, 'ru'), false, user.login)
    expect(edited).not.toHaveProperty('total_bytes')
    expect(edited).not.toHaveProperty('reserved')
  })

  it.each([
    ['login', { login: 'Anna' }],
    ['metadata', { metadata: 'plan' }],
    ['metadata', { metadata: 'plan = a\nplan = b' }],
    ['label', { label: '  ' }],
    ['total', { total: 'much' }],
    ['month', { month: '-1' }],
    ['connections', { connections: '0' }],
    ['connections', { connections: '1.5' }],
    ['expires', { expires: 'soon' }],
  ])('names %s when it is wrong', (field, wrong) => {
    expect(toInput({ ...emptyForm, label: 'a', ...wrong }, true)).toBe(field)
  })
})
