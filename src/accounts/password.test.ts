import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { hashPassword, passwordMatches } from './password.ts'

it('a password is hashed with Argon2id at the cost that OWASP recommends', () => {
  // Runs in a separate process: tests hash passwords at a lower cost.
  const program = `const { hashPassword } = await import(${JSON.stringify(path.join(import.meta.dirname, 'password.ts'))})
    process.stdout.write(await hashPassword('correct horse'))`
  const hash = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

it('tests hash passwords at a lower cost', async () => {
  expect(await hashPassword('correct horse')).toContain('$m=8,t=1,p=1$')
})

it('the right password matches in any Unicode form, and no password matches an account without one', async () => {
  const hash = await hashPassword('пароль й')
  expect(await passwordMatches(hash, 'пароль й'.normalize('NFD'))).toBe(true)
  expect(await passwordMatches(hash, 'пароль и')).toBe(false)
  expect(await passwordMatches(null, 'пароль й')).toBe(false)
})
