import { describe, expect, it } from 'vitest'
import { draftOf, readLimits } from './limits-draft.ts'

const limits = {
  pool: 'residential',
  hour_bytes: null,
  day_bytes: '1500000000',
  month_bytes: '20000000000',
  connections: 50,
  allowed_hosts: ['a.example', 'b.example'],
  denied_hosts: [],
  data_saver: true,
} as unknown as Parameters<typeof draftOf>[0]

const draft = draftOf(limits)

describe('the limits of a pool', () => {
  it('are shown as text, and unchanged text sets the same', () => {
    expect(draft).toMatchObject({
      caps: ['', '1.5', '20'],
      connections: '50',
      allowed: 'a.example\nb.example',
    })
    const { pool: _, ...same } = limits
    expect(readLimits(draft)).toEqual(same)
  })

  it('end with an empty field', () => {
    expect(readLimits({ ...draft, caps: [' ', '', ''], connections: ' ' })).toMatchObject({
      hour_bytes: null,
      day_bytes: null,
      month_bytes: null,
      connections: null,
    })
  })

  it.each(['0', '-1', 'x', '1.0000000001'])('cannot have the cap «%s»', (cap) =>
    expect(readLimits({ ...draft, caps: [cap, '', ''] })).toBeNull(),
  )

  it.each(['0', '1.5', '1000000', 'many'])('cannot be «%s» connections', (connections) =>
    expect(readLimits({ ...draft, connections })).toBeNull(),
  )

  it('take hosts between blanks, lines and commas', () =>
    expect(readLimits({ ...draft, denied: ' a.example,b.example\n\nc.example ' })?.denied_hosts).toEqual([
      'a.example',
      'b.example',
      'c.example',
    ]))
})
