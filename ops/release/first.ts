import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The commit that a text like first.txt names; null: 0.1.0 is not released yet. */
export const commitIn = (text: string): string | null => /^[0-9a-f]{40}$/m.exec(text)?.[0] ?? null

/** The commit of 0.1.0, the first release. Tags may be missing from a clone, so a file names it. */
export const firstRelease = (): string | null =>
  commitIn(readFileSync(path.join(import.meta.dirname, 'first.txt'), 'utf8'))

/** The migrations of a commit that the working tree of a repository has changed or removed. */
export const changedMigrations = (repository: string, commit: string): string[] =>
  execFileSync(
    'git',
    ['-C', repository, 'diff', '--name-only', '--no-renames', '--diff-filter=a', commit, '--', 'migrations'],
    { encoding: 'utf8' },
  )
    .split('\n')
    .filter((line) => line !== '')
