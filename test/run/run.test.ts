import { describe, expect, it } from 'vitest'
import { folderInMemory } from './memory.ts'
import { countPassed, describeFailure, listFailures } from './reports.ts'

const failures = (written: Record<string, unknown>) => listFailures((report) => written[report] ?? null)

describe('reports of the test runners', () => {
  it('count the tests of both runners that passed', () => {
    const written: Record<string, unknown> = {
      vitest: { numPassedTests: 5, testResults: [] },
      playwright: { stats: { expected: 2, flaky: 0 } },
    }
    expect(countPassed((report) => written[report] ?? null)).toBe(7)
    expect(countPassed(() => null)).toBe(0)
  })

  it('name each failed test with its file and the beginning of its message', () => {
    const passed = { status: 'passed', fullName: 'the sum is exact' }
    const failed = {
      status: 'failed',
      fullName: 'the list is whole',
      failureMessages: ['\u001B[31mexpected 1 to be 2\u001B[39m\n    at list.test.ts:3:1'],
    }
    const spec = (title: string, ok: boolean) => ({
      title,
      ok,
      file: 'login.spec.ts',
      tests: [{ results: [{ errors: ok ? [] : [{ message: 'no such button' }] }] }],
    })
    const listed = failures({
      vitest: {
        numPassedTests: 2,
        testResults: [
          { name: 'list.test.ts', status: 'failed', assertionResults: [passed, failed] },
          { name: 'load.test.ts', status: 'failed', message: 'no such file', assertionResults: [] },
          { name: 'sum.test.ts', status: 'passed', assertionResults: [passed] },
        ],
      },
      outside: [
        { message: 'write EPIPE', stack: 'Error\n    at socket.ts:9:1' },
        { message: 'refused', file: 'payouts.test.ts' },
      ],
      playwright: {
        stats: { expected: 1, flaky: 0 },
        suites: [{ suites: [{ specs: [spec('signs in', false), spec('signs out', true)] }] }],
        errors: [{ message: 'the server did not start' }],
      },
    })
    expect(listed.flatMap((failure) => describeFailure('✗', failure))).toEqual([
      '✗ list.test.ts the list is whole',
      '    expected 1 to be 2',
      '✗ load.test.ts',
      '    no such file',
      '✗ an error outside the tests',
      '    write EPIPE',
      '    at socket.ts:9:1',
      '✗ payouts.test.ts an error outside the tests',
      '    refused',
      '✗ login.spec.ts signs in',
      '    no such button',
      '✗ browser tests',
      '    the server did not start',
    ])
    expect(failures({})).toEqual([])
  })
})

describe('the folder in memory', () => {
  const mounts =
    (options: string, kind = 'tmpfs') =>
    () =>
      `proc /proc proc rw 0 0\n${kind} /dev/shm ${kind} ${options} 0 0\n`
  const plenty = () => 16 * 1024 ** 3

  it('is used where programs may run in it and it has room', () => {
    expect(folderInMemory(mounts('rw,relatime'), plenty)).toBe('/dev/shm')
    expect(folderInMemory(mounts('rw,nosuid,noexec'), plenty)).toBeNull()
    expect(folderInMemory(mounts('ro'), plenty)).toBeNull()
    expect(folderInMemory(mounts('rw', 'ext4'), plenty)).toBeNull()
    expect(folderInMemory(mounts('rw'), () => 64 * 1024 ** 2)).toBeNull()
    expect(folderInMemory(() => '', plenty)).toBeNull()
    const missing = () => {
      throw new Error('ENOENT')
    }
    expect(folderInMemory(missing, plenty)).toBeNull()
  })
})
