import { describe, expect, it } from 'vitest'
import { HealthTracker, type ExitSlot } from './health.ts'

const exit = { id: 1n, max_connections: null }

function bench() {
  let now = 1000
  const health = new HealthTracker({ now: () => now })
  const enter = (which: { id: bigint; max_connections: number | null } = exit): ExitSlot => {
    const slot = health.acquire(which)
    if (typeof slot === 'string') throw new Error(`no slot: ${slot}`)
    return slot
  }
  const fail = (lasting = false) => {
    const slot = enter()
    slot.failed('exit_unreachable', lasting)
    slot.release()
  }
  const succeed = () => {
    const slot = enter()
    slot.succeeded(12)
    slot.release()
  }
  return { health, enter, fail, succeed, pass: (ms: number) => void (now += ms) }
}

describe('the breaker of an exit', () => {
  it('opens after three failures in a row, not after two', () => {
    const { health, fail, succeed } = bench()
    fail()
    fail()
    expect(health.state(1n)).toBe('closed')
    succeed()
    fail()
    fail()
    expect(health.state(1n)).toBe('closed')
    fail()
    expect(health.state(1n)).toBe('open')
    expect(health.acquire(exit)).toBe('open')
    expect(health.of(1n)).toMatchObject({
      failed: 5,
      succeeded: 1,
      lastFailure: 'exit_unreachable',
      connections: 0,
    })
  })

  it('opens when half of the last twenty failed, though never three in a row', () => {
    const { health, fail, succeed } = bench()
    for (let index = 0; index < 9; index++) {
      fail()
      succeed()
    }
    expect(health.state(1n)).toBe('closed')
    fail()
    expect(health.state(1n)).toBe('open')
  })

  it('opens at the first failure that no retry will fix, and for longer', () => {
    const { health, fail, pass } = bench()
    fail(true)
    pass(29_999)
    expect(health.state(1n)).toBe('open')
    pass(1)
    expect(health.state(1n)).toBe('half_open')
  })

  it('admits one trial after a pause, closes when it succeeds, and doubles the pause when it fails', () => {
    const { health, enter, fail, succeed, pass } = bench()
    for (let index = 0; index < 3; index++) fail()
    pass(4999)
    expect(health.acquire(exit)).toBe('open')
    pass(1)
    const trial = enter()
    expect(health.acquire(exit)).toBe('open')
    trial.failed('again', false)
    trial.release()
    pass(9999)
    expect(health.acquire(exit)).toBe('open')
    pass(1)
    succeed()
    expect(health.of(1n)).toMatchObject({ state: 'closed', lastFailure: null, latencyMs: 12 })
    // A closed breaker starts a new count.
    fail()
    fail()
    expect(health.state(1n)).toBe('closed')
  })

  it('admits another trial when one ended without an outcome', () => {
    const { health, enter, fail, pass } = bench()
    for (let index = 0; index < 3; index++) fail()
    pass(5000)
    enter().release()
    expect(typeof health.acquire(exit)).toBe('object')
  })

  it('never pauses longer than five minutes', () => {
    const { health, fail, pass } = bench()
    for (let index = 0; index < 3; index++) fail()
    for (let index = 0; index < 12; index++) {
      pass(300_000)
      fail()
    }
    pass(300_000)
    expect(health.state(1n)).toBe('half_open')
  })

  it('ignores outcomes of connections begun before it opened', () => {
    const { health, enter, fail, pass } = bench()
    const [early, late] = [enter(), enter()]
    for (let index = 0; index < 3; index++) fail()
    early.failed('late word', false)
    late.succeeded(1)
    expect(health.state(1n)).toBe('open')
    pass(5000)
    expect(health.state(1n)).toBe('half_open')
  })

  it('counts health checks, and is reset when the operator changes the exit', () => {
    const { health, fail, pass } = bench()
    for (let index = 0; index < 3; index++) health.note(1n, { what: 'down', lasting: false })
    expect(health.state(1n)).toBe('open')
    pass(5000)
    health.note(1n, { latencyMs: 3 })
    expect(health.state(1n)).toBe('closed')
    expect(health.silentMs(1n)).toBe(0)
    expect(health.silentMs(2n)).toBe(Infinity)
    fail(true)
    health.keep([exit], new Set())
    expect(health.state(1n)).toBe('open')
    health.keep([exit], new Set([1n]))
    expect(health.state(1n)).toBe('closed')
  })
})

describe('the connections of an exit', () => {
  it('are counted from the first attempt to the last byte, up to its limit', () => {
    const { health, enter } = bench()
    const limited = { id: 7n, max_connections: 2 }
    const slots = [enter(limited), enter(limited)]
    expect(health.acquire(limited)).toBe('full')
    slots[0]?.succeeded(1)
    expect(health.acquire(limited)).toBe('full')
    slots[0]?.release()
    slots[0]?.release()
    expect(health.of(7n).connections).toBe(1)
    enter(limited)
    expect(health.acquire(limited)).toBe('full')
  })
})
