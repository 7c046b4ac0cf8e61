import { spawnSync } from 'node:child_process'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutSecrets } from './log.ts'

const log = path.join(import.meta.dirname, 'log.ts')

/** The lines that a program with a log writes to stderr. */
function written(program: string): Record<string, unknown>[] {
  const text = `import { makeLog } from ${JSON.stringify(log)}\n${program}`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', text], {
    encoding: 'utf8',
  })
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('secret fields are left out at any depth, of errors and of children too', () => {
  const lines = written(`
    const log = makeLog('info').child({ token: 'hidden' })
    const err = Object.assign(new Error('failed'), { config: { password: 'hidden', host: 'db' } })
    log.error({ err, deep: { a: [{ b: { cookie: 'hidden' } }] }, 'proxy-authorization': 'hidden' }, 'it failed')
    log.info({ note: 'say "password":"shown"' }, 'plain')
  `)
  expect(JSON.stringify(lines)).not.toContain('hidden')
  expect(lines[0]).toMatchObject({
    token: '[secret]',
    err: { message: 'failed', config: { password: '[secret]', host: 'db' } },
    deep: { a: [{ b: { cookie: '[secret]' } }] },
    msg: 'it failed',
  })
  expect(lines[1]).toMatchObject({ note: 'say "password":"shown"', msg: 'plain' })
})

test('a line without secret fields is not changed, and one with them keeps its other fields', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (fields, secret) => {
      const line = `${JSON.stringify({ values: Object.values(fields), password_sha256: secret })}\n`
      expect(withoutSecrets(line)).toBe(line)
      const hidden = JSON.parse(
        withoutSecrets(`${JSON.stringify({ ...fields, password: secret })}\n`),
      ) as object
      expect(hidden).toMatchObject({ password: '[secret]' })
      expect(Object.keys(hidden).toSorted()).toEqual(Object.keys({ ...fields, password: '' }).toSorted())
    }),
  )
})

test('a buffered log writes all lines in their order, a warning and the end of the process at once', () => {
  const lines = written(`
    const log = makeLog('info', { buffered: true })
    for (let number = 0; number < 100; number++) log.info({ number }, 'one of many')
    log.warn({ number: 100 }, 'a warning')
    log.info({ number: 101 }, 'the last one')
    process.exit(0)
  `)
  expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 102 }, (_, number) => number))
})

test('a buffered log writes lines while the process goes on, whole ones in each write', () => {
  const lines = written(`
    import { writeSync } from 'node:fs'
    const log = makeLog('info', { buffered: true })
    log.info({ from: 'log' }, 'first')
    setTimeout(() => { writeSync(2, '{"from":"the program"}\\n') }, 200)
  `)
  expect(lines.map(({ from }) => from)).toEqual(['log', 'the program'])
})

test('lines that are made in bulk are like those of objects, with the bindings of their logger, in order with others', () => {
  const lines = written(`
    const log = makeLog('info', { buffered: true }).child({ gateway: 'g"1' })
    const fields = (line, number) => {
      line.ascii(',"number":')
      line.number(number)
      line.text(',"note":"bé"')
    }
    const kind = { message: 'ended', atMs: () => 1795000000000, fields }
    const ended = log.infoInBulk(kind)
    log.info({ number: 1, note: 'a' }, 'ended')
    for (let number = 2; number < 200; number++) ended(number)
    log.warn({ number: 200, note: 'c' }, 'ended')
    ended(201)
    if (makeLog('warn', { buffered: true }).infoInBulk(kind) !== null) log.error('a line that is not wanted')
    process.exit(0)
  `)
  expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 201 }, (_, index) => index + 1))
  for (const line of lines) {
    expect(Object.keys(line)).toEqual(['level', 'time', 'gateway', 'number', 'note', 'msg'])
    expect(line).toMatchObject({ gateway: 'g"1', msg: 'ended', time: expect.any(Number) as number })
  }
  expect(lines[100]).toMatchObject({ level: 30, time: 1_795_000_000_000, note: 'bé' })
})

test('lines that are made in bulk are written while the process goes on', () => {
  const lines = written(`
    import { writeSync } from 'node:fs'
    const ended = makeLog('info', { buffered: true }).infoInBulk({ message: 'ended', atMs: Date.now, fields: () => {} })
    ended()
    setTimeout(() => { writeSync(2, '{"msg":"the program"}\\n') }, 200)
  `)
  expect(lines.map(({ msg }) => msg)).toEqual(['ended', 'the program'])
})
