import { expect, it } from 'vitest'
import { workWhileRight } from './jobs.shift.ts'
import { makeLog } from './process/log.ts'
import { Stopper } from './process/stop.ts'

const log = makeLog('silent')

function begin(clock: { isRight: boolean }) {
  const told: string[] = []
  const fails: Error[] = []
  const stopper = new Stopper()
  const work = () => {
    const fault = fails.shift()
    if (fault !== undefined) return Promise.reject(fault)
    told.push('begun')
    return Promise.resolve({ isRunning: true, stop: async () => void told.push('stopped') })
  }
  return { told, fails, stopper, started: workWhileRight(work, { clock, log, stopper }) }
}

it('the shift of jobs is started at once, stopped while the clock is wrong, and started again', async () => {
  const clock = { isRight: true }
  const { told, stopper, started } = begin(clock)
  await started
  expect(told).toEqual(['begun'])
  clock.isRight = false
  await expect.poll(() => told, { timeout: 60_000 }).toEqual(['begun', 'stopped'])
  clock.isRight = true
  await expect.poll(() => told, { timeout: 60_000 }).toEqual(['begun', 'stopped', 'begun'])
  await stopper.stop(log)
  expect(told).toEqual(['begun', 'stopped', 'begun', 'stopped'])
})

it('the shift of jobs is not started while the clock is wrong, and retried while the database is unavailable', async () => {
  const clock = { isRight: false }
  const { told, fails, stopper, started } = begin(clock)
  await started
  fails.push(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  clock.isRight = true
  await expect.poll(() => told, { timeout: 60_000 }).toEqual(['begun'])
  expect(fails).toEqual([])
  clock.isRight = false
  await stopper.stop(log)
  expect(told.at(-1)).toBe('stopped')
})

it('the shift of jobs rejects when the first start fails', async () => {
  const { fails, started } = begin({ isRight: true })
  expect(fails).toEqual([])
  await started
  const broken = workWhileRight(() => Promise.reject(new Error('no')), {
    clock: { isRight: true },
    log,
    stopper: new Stopper(),
  })
  await expect(broken).rejects.toThrow('no')
})
