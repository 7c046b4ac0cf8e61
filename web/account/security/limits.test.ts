import { expect, it } from 'vitest'
import { type Limits, toForm, toInput } from './limits.ts'

const limits: Limits = {
  pool: 'mobile',
  hour_bytes: null,
  day_bytes: 1_500_000_000,
  month_bytes: 30_000_000_000,
  connections: 20,
  allowed_hosts: [],
  denied_hosts: ['a.example', '*.b.example'],
  data_saver: true,
  raised_day_bytes: null,
  used: { hour_bytes: 0, day_bytes: 0, month_bytes: 0 },
}

it('the form converts back to the limits it was made of', () => {
  const { used: _used, raised_day_bytes: _raised, ...sent } = limits
  expect(toInput('mobile', toForm(limits, 'ru'))).toEqual(sent)
})

it('the form accepts a decimal comma and any separator between hosts', () => {
  const form = {
    ...toForm(limits, 'ru'),
    hour: ' 0,25 ',
    connections: '',
    denied: 'x.example;\ny.example z.example,',
  }
  expect(toInput('mobile', form)).toMatchObject({
    hour_bytes: 250_000_000,
    connections: null,
    denied_hosts: ['x.example', 'y.example', 'z.example'],
  })
})

it('the form reports the field that is not a number', () => {
  expect(toInput('mobile', { ...toForm(limits, 'ru'), day: 'a lot' })).toBe('day')
  expect(toInput('mobile', { ...toForm(limits, 'ru'), connections: '-1' })).toBe('connections')
})
