/** The command line as a process: its first line, and the streams it writes to. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { inherited } from '#test/stack'

const main = path.resolve(import.meta.dirname, '../commands/turnpike.ts')
const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-frame-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (words: string[], env: Record<string, string> = { DATA_DIR: folder }) =>
  promisify(execFile)(process.execPath, [main, ...words], {
    cwd: folder,
    env: { ...inherited(), ...env },
  })

// Each start of the program takes a second, and several on a busy machine.
describe('turnpike', { timeout: 90_000 }, () => {
  it('names the shop on stderr, but not when a program reads the output', async () => {
    const line = `Shop: ${folder} (DATA_DIR in the environment)\n`
    expect(await run(['exits', 'presets'])).toMatchObject({
      stderr: line,
      stdout: expect.not.stringContaining('Shop'),
    })
    expect(await run(['exits', 'presets', '--quiet'])).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('PRESET'),
    })
    const { stdout, stderr } = await run(['exits', 'presets', '--json'])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toBeInstanceOf(Array)
  })

  it('takes all settings from a given file', async () => {
    const file = path.join(folder, 'shop.env')
    writeFileSync(file, `DATA_DIR=${folder}/other\nPORT=none\n`)
    const stray = { DATABASE_URL: 'postgresql://x@127.0.0.1:1/x', PORT: '3000' }
    await expect(run(['--settings', file, 'doctor'], stray)).rejects.toMatchObject({
      code: 1,
      stderr: `Shop: ${folder}/other (DATA_DIR in ${file})\nPORT must be a whole number from 1 to 65535, not “none”.\n`,
    })
  })

  it('executes no file of the working directory', async () => {
    const config = path.join(folder, '.graphile-workerrc.js')
    writeFileSync(config, `require('node:fs').writeFileSync(${JSON.stringify(`${config}.ran`)}, '')`)
    // All commands, the parts that a command imports when it is run, and one that opens the shop.
    await run(['completion', 'bash'])
    const broken = { DATA_DIR: folder, PORT: 'none' }
    for (const words of [['worker'], ['up'], ['ledger', 'verify']])
      await expect(run(words, broken)).rejects.toMatchObject({
        stderr: expect.stringContaining('PORT must be'),
      })
    expect(() => readFileSync(`${config}.ran`)).toThrow('ENOENT')
  })

  it('prints its version', async () => {
    const { version } = JSON.parse(
      readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8'),
    ) as { version: string }
    expect((await run(['--version'])).stdout).toBe(`${version}\n`)
  })
})

describe('the completion for bash', async () => {
  const { stdout: script, stderr } = await run(['completion', 'bash'])

  /** The completions of these words, the last of which is incomplete. */
  function offered(...words: string[]): string[] {
    const program = `${script}\nCOMP_WORDS=("$@") COMP_CWORD=$(($#-1))\n_turnpike\nprintf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-uc', program, 'bash', 'turnpike', ...words], { encoding: 'utf8' })
      .split('\n')
      .filter((word) => word !== '')
  }

  it('offers commands, their commands and their options', () => {
    expect(stderr).toBe('')
    expect(offered('inv')).toEqual(['invoices', 'inventory'].sort())
    expect(offered('ledger', '')).toEqual(expect.arrayContaining(['verify', 'archive', '--help', '--quiet']))
    expect(offered('ledger', 'verify', '--f')).toEqual(['--full'])
    expect(offered('--quiet', 'ledger', 'v')).toEqual(['verify'])
    expect(offered('completion', 'b')).toEqual(['bash'])
    expect(offered('nosuch', 'up')).toEqual(['up', 'upgrade'])
  })

  it('does not take the value of an option for a command, and offers its choices or files', () => {
    expect(offered('--settings', 'l')).toEqual([])
    expect(offered('--settings', 'ledger', 'v')).toEqual(['verify-bill'])
    expect(offered('--settings', 'x', 'ledger', 'v')).toEqual(['verify'])
  })

  it('executes nothing of the typed text', () => {
    const trap = path.join(folder, 'trap')
    for (const word of [`$(touch ${trap})`, `x]; touch ${trap}; [`, `\`touch ${trap}\``, '*'])
      expect(offered('customers', word, 'x')).toEqual([])
    expect(() => readFileSync(trap)).toThrow('ENOENT')
  })
})
