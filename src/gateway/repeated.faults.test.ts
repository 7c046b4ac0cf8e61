import { expect, it } from 'vitest'
import { silentLog } from './testing/bench.ts'
import { withoutRepetitions } from './repeated.faults.ts'

function logged() {
  let at = 0
  const lines: object[] = []
  const note = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, ...fields })
  const inner = { ...silentLog, warn: note('warn'), error: note('error'), info: note('info') }
  return { log: withoutRepetitions(inner, () => at), lines, pass: (ms: number) => (at += ms) }
}

const full = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

it('the gateway logs a repeated failure once a minute, with the count of its repetitions and without a stack', () => {
  const { log, lines, pass } = logged()
  for (let index = 0; index < 1200; index++) {
    log.warn({ err: full(), gateway: 'gw1-0' }, 'journal failed')
    pass(100)
  }
  const line = {
    level: 'warn',
    message: 'journal failed',
    gateway: 'gw1-0',
    reason: full().message,
    code: 'ENOSPC',
  }
  expect(lines).toEqual([line, { ...line, suppressed: 599 }])
})

it('the gateway distinguishes different failures, but not the connections that they hit', () => {
  const { log, lines } = logged()
  for (const request_id of ['a', 'b', 'c']) {
    log.error({ err: new Error('x'), request_id }, 'a request failed on a bug')
    log.warn({ err: new Error('away'), pool: 'mobile', login: request_id }, 'account lookup failed')
    log.warn({ err: new Error('away'), pool: 'residential' }, 'account lookup failed')
    log.error({ boot: 'b', sequence: request_id }, 'a report was put aside')
    log.info({ request_id }, 'an exit failed')
  }
  const told = lines.map((line) => (line as { message: string }).message)
  expect(told.filter((message) => message.includes('bug'))).toHaveLength(1)
  expect(told.filter((message) => message.includes('lookup'))).toHaveLength(2)
  expect(told.filter((message) => message.includes('put aside'))).toHaveLength(3)
  expect(told.filter((message) => message.includes('exit'))).toHaveLength(3)
  // A bug keeps its stack.
  expect(lines[0]).toMatchObject({ err: expect.any(Error) })
})

it('the gateway remembers a bounded number of failures', () => {
  const { log, lines } = logged()
  for (let index = 0; index < 3000; index++) log.warn({ index }, 'failed')
  expect(lines).toHaveLength(3000)
  log.warn({ index: 0 }, 'failed')
  log.warn({ index: 2999 }, 'failed')
  expect(lines).toHaveLength(3001)
})
