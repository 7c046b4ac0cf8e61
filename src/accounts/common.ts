/** Passwords that are guessed first, because so many people have them: a list of the commonest, as people type them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

let commonest: ReadonlySet<string> | undefined

function listed(): ReadonlySet<string> {
  commonest ??= new Set(
    readFileSync(path.join(import.meta.dirname, 'common.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
  return commonest
}

/** Whether a password is one of the commonest; capitals and spaces around it make it no other. */
export function isCommonPassword(password: string): boolean {
  return listed().has(password.normalize('NFKC').trim().toLowerCase())
}
