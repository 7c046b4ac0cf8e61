import { describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import type { LeaseGrant } from '#feed'
import { AccountLease } from './account.lease.ts'
import { type LeaseEvent, type LeaseState, LeaseStateMachine, TRANSITIONS } from './lease.state.ts'

const events: LeaseEvent[] = ['ask', 'granted', 'nothing', 'replaced', 'close', 'settled']

/** The next state for each event, in the order of `events`; '-': the event cannot happen in that state. */
const expected: Record<LeaseState, (LeaseState | '-')[]> = {
  none: ['asking', '-', '-', '-', '-', '-'],
  asking: ['-', 'open', 'none', '-', '-', '-'],
  open: ['extending', '-', '-', '-', 'closing', '-'],
  extending: ['-', 'open', 'open', 'replacing', '-', '-'],
  closing: ['-', '-', '-', '-', '-', 'none'],
  replacing: ['-', '-', '-', '-', 'closing_both', 'open'],
  closing_both: ['-', '-', '-', '-', '-', 'closing'],
}

/** The shortest way to each state from none. */
const ways: Record<LeaseState, LeaseEvent[]> = {
  none: [],
  asking: ['ask'],
  open: ['ask', 'granted'],
  extending: ['ask', 'granted', 'ask'],
  closing: ['ask', 'granted', 'close'],
  replacing: ['ask', 'granted', 'ask', 'replaced'],
  closing_both: ['ask', 'granted', 'ask', 'replaced', 'close'],
}
const states = Object.keys(TRANSITIONS) as LeaseState[]
const cases = states.flatMap((state) =>
  events.map((event, index) => [state, event, expected[state][index] ?? '-'] as const),
)

describe('the states of a lease', () => {
  it.each(cases)('in state %s the event %s leads to %s', (state, event, next) => {
    const machine = new LeaseStateMachine('none')
    for (const step of ways[state]) expect(machine.apply(step)).toBe(true)
    expect(machine.state).toBe(state)
    expect(machine.allows(event)).toBe(next !== '-')
    expect(machine.apply(event)).toBe(next !== '-')
    expect(machine.state).toBe(next === '-' ? state : next)
  })

  it('a lease that an earlier process left begins as open', () => {
    expect(new LeaseStateMachine('open').state).toBe('open')
  })
})

/** An account lease whose requests are answered by the test. */
function leaseWithAnswers() {
  const asked: ((grant: LeaseGrant) => void)[] = []
  const lease = new AccountLease(1n, {
    feed: { lease: () => new Promise((answer) => asked.push(answer)) },
    identity: { gateway: 'g1', boot: 'b1' },
    now: () => 0,
  })
  const answer = async (id: bigint, bytes: bigint) => {
    const before = lease.state
    asked.shift()?.({
      lease: id,
      granted_bytes: bytes,
      lease_bytes: bytes,
      elsewhere_bytes: 0n,
      outstanding: false,
    })
    await eventually(() => lease.state !== before, 'the answer to arrive')
  }
  return { lease, answer, asked }
}

/** Brings an account lease to a state through its own methods. */
async function inState(wanted: LeaseState) {
  const made = leaseWithAnswers()
  const { lease, answer } = made
  if (wanted === 'none') return made
  void lease.more(1000)
  if (wanted === 'asking') return made
  await answer(7n, 1000n)
  if (wanted === 'open') return made
  if (wanted === 'closing') {
    lease.collect(true)
    return made
  }
  void lease.more(2000)
  if (wanted === 'extending') return made
  await answer(8n, 2000n)
  if (wanted === 'closing_both') lease.collect(true)
  return made
}

const isOpen = (state: LeaseState) => ['open', 'extending', 'replacing'].includes(state)
const isClosing = (state: LeaseState) => ['closing', 'replacing', 'closing_both'].includes(state)

describe('an account lease', () => {
  it.each(states)('is brought to state %s, and is open and asking as this says', async (state) => {
    const { lease } = await inState(state)
    expect(lease.state).toBe(state)
    expect(lease.leaseOpen).toBe(isOpen(state))
    expect(lease.asking).toBe(state === 'asking' || state === 'extending')
    expect(lease.empty).toBe(state === 'none')
  })

  it.each(states)(
    'in state %s, sends no second request and none before its reports are settled',
    async (state) => {
      const { lease, asked } = await inState(state)
      const before = asked.length
      void lease.more(10_000)
      void lease.more(10_000)
      const mayAsk = state === 'none' || state === 'open'
      expect(asked.length - before).toBe(mayAsk ? 1 : 0)
    },
  )

  it.each(states)('in state %s, is closed by a report unless a request is under way', async (state) => {
    const { lease } = await inState(state)
    const closes = lease.collect(true).filter(({ close, lease: id }) => close && id !== 7n)
    if (state === 'replacing') expect(closes).toHaveLength(1)
    expect(lease.leaseOpen).toBe(state === 'extending')
  })

  it.each(states)('in state %s, a settled report changes only what waits for it', async (state) => {
    const { lease } = await inState(state)
    lease.closed()
    if (!isClosing(state)) expect(lease.state).toBe(state)
    else if (state === 'closing') expect(lease.state).toBe('none')
    else if (state === 'replacing') expect(lease.leaseOpen).toBe(true)
    else expect(lease.state).toBe('closing')
  })
})
