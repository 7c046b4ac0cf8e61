import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { systemSentence } from './system.fault.ts'

function faultOf(work: () => unknown): unknown {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}

it('a refusal of the system is a sentence with its path, and a bug is not', () => {
  expect(systemSentence(faultOf(() => readFileSync('/nowhere/at/all')))).toBe(
    '/nowhere/at/all: there is no such file or folder (ENOENT).',
  )
  expect(systemSentence(faultOf(() => writeFileSync('/', '')))).toBe('/: it is a folder (EISDIR).')
  const denied = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/etc/turnpike/x' })
  expect(systemSentence(denied)).toContain('runs as the user turnpike')
  expect(systemSentence(new TypeError('a bug'))).toBeNull()
  expect(systemSentence(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))).toBeNull()
})

it('a command whose output is no longer read ends without a stack trace', async () => {
  const program = fileURLToPath(new URL('../turnpike.ts', import.meta.url))
  const script = `"${process.execPath}" "${program}" --help | (exec 0<&-; sleep 1)`
  const said = await new Promise<string>((resolve) => {
    execFile('/bin/sh', ['-c', script], { cwd: path.dirname(program) }, (_error, _out, err) => resolve(err))
  })
  expect(said).toBe('')
})
