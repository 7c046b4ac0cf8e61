/** The most common passwords: attackers try them first. */
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

/** Whether a password is one of the most common, without regard to capitals and surrounding spaces. */
export function isCommonPassword(password: string): boolean {
  return listed().has(password.normalize('NFKC').trim().toLowerCase())
}
