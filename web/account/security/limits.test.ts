import { expect, it } from 'vitest'
import { changesOf, formOf, type Limits } from './limits.ts'

const limits: Limits = {
  pool: 'mobile',
  hour_bytes: null,
  day_bytes: 1_500_000_000,
  month_bytes: 30_000_000_000,
  connections: 20,
  allowed_hosts: [],
  denied_hosts: ['a.example', '*.b.example'],
  data_saver: true,
  used: { hour_bytes: 0, day_bytes: 0, month_bytes: 0 },
}

it('sends back what it was given', () => {
  const { used: _used, ...sent } = limits
  expect(changesOf('mobile', formOf(limits))).toEqual(sent)
})

it('reads numbers with a comma and hosts however they are parted', () => {
  const form = {
    ...formOf(limits),
    hour: ' 0,25 ',
    connections: '',
    denied: 'x.example;\ny.example z.example,',
  }
  expect(changesOf('mobile', form)).toMatchObject({
    hour_bytes: 250_000_000,
    connections: null,
    denied_hosts: ['x.example', 'y.example', 'z.example'],
  })
})

it('names the field that is no number', () => {
  expect(changesOf('mobile', { ...formOf(limits), day: 'a lot' })).toBe('day')
  expect(changesOf('mobile', { ...formOf(limits), connections: '-1' })).toBe('connections')
})
