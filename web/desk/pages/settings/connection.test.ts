import { describe, expect, it } from 'vitest'
import type { DeskOutput } from '#contract/desk/contract'
import { connectionState, lastChange, valuesOf } from './connection.ts'

type Variable = DeskOutput<'variables'>[number]['variables'][number]

const variable = (name: Variable['name'], parts: Partial<Variable> = {}): Variable => ({
  name,
  is_secret: false,
  is_set: false,
  value: null,
  in_force: null,
  changed: null,
  ...parts,
})
const open = { invoices: 0, refunds: 0, disputes: 0, saved_methods: 0 }
const key = variable('STRIPE_SECRET_KEY', { is_secret: true, is_set: true })
const flag = variable('STRIPE_INVOICES', { is_set: true, value: '1' })

describe('a connection', () => {
  it('is set when one of its variables is, and pinned when the environment has it', () => {
    const group = (isPinned: boolean, variables: ReturnType<typeof variable>[]) =>
      connectionState({ group: 'card', is_pinned: isPinned, open, variables })
    expect(group(false, [variable('STRIPE_SECRET_KEY')])).toBe('none')
    expect(group(false, [key])).toBe('set')
    expect(group(true, [variable('STRIPE_SECRET_KEY')])).toBe('pinned')
  })

  it('shows the latest change of its variables', () => {
    const at = (day: string) => ({ changed: { at: `2026-11-${day}T00:00:00.000Z`, by: day } })
    const variables = [
      variable('SMTP_URL', at('02')),
      variable('MAIL_FROM', at('03')),
      variable('CRYPTOPAY_TOKEN'),
    ]
    expect(lastChange({ group: 'card', is_pinned: false, open, variables })?.by).toBe('03')
    expect(
      lastChange({ group: 'card', is_pinned: false, open, variables: [variable('CRYPTOPAY_TOKEN')] }),
    ).toBeNull()
  })

  it('keeps a secret that is left empty, and clears all when it is disconnected', () => {
    expect(valuesOf([key, flag], { STRIPE_SECRET_KEY: ' ', STRIPE_INVOICES: ' 0 ' }, false)).toEqual({
      STRIPE_INVOICES: '0',
    })
    expect(valuesOf([key, flag], { STRIPE_SECRET_KEY: 'sk_test_1' }, false)).toEqual({
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_INVOICES: '',
    })
    expect(valuesOf([key, flag], {}, true)).toEqual({ STRIPE_SECRET_KEY: '', STRIPE_INVOICES: '' })
  })
})
