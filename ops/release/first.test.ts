import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changedMigrations, commitIn, firstRelease } from './first.ts'

describe('The first release', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'turnpike-first-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is named by the line of the file that is a whole commit id', () => {
    const commit = '0123456789abcdef0123456789abcdef01234567'
    expect(commitIn(`The commit of 0.1.0.\n${commit}\n`)).toBe(commit)
    expect(commitIn('The commit of 0.1.0.\n')).toBeNull()
    expect(commitIn(`${commit.slice(1)}\n`)).toBeNull()
  })

  it('tells which of its migrations were changed or removed, not which were added', () => {
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
        encoding: 'utf8',
      }).trim()
    const write = (name: string, text: string) => writeFileSync(path.join(folder, 'migrations', name), text)
    mkdirSync(path.join(folder, 'migrations'))
    for (const name of ['0001_fruit.sql', '0002_nut.sql', '0003_leek.sql']) write(name, '-- 1\n')
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'first')
    const commit = git('rev-parse', 'HEAD')
    write('0004_plum.sql', '-- 1\n')
    git('add', '.')
    expect(changedMigrations(folder, commit)).toEqual([])
    write('0001_fruit.sql', '-- 2\n')
    rmSync(path.join(folder, 'migrations/0003_leek.sql'))
    expect(changedMigrations(folder, commit)).toEqual([
      'migrations/0001_fruit.sql',
      'migrations/0003_leek.sql',
    ])
  })

  it('keeps its migrations: later changes are new files', () => {
    const commit = firstRelease()
    const root = path.join(import.meta.dirname, '../..')
    expect(commit === null ? [] : changedMigrations(root, commit)).toEqual([])
  })
})
