/**
 * Passwords of tests are hashed with the least that Argon2id takes, since thousands of test customers sign up
 * and in: at the cost of the product, hashes took a tenth of the CPU time of all tests. Programs that tests
 * start are not affected; the product's cost is tested in `src/accounts/password.test.ts`.
 */
import { createRequire } from 'node:module'

type Hash = typeof import('@node-rs/argon2').hash

// A CommonJS module: ES modules that import it get the exports it has when the first of them is linked, which
// is after this file.
const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as { hash: Hash & { isCheap?: true } }

if (argon2.hash.isCheap === undefined) {
  const { hash } = argon2
  const cheap: Hash = (password, options, signal) =>
    hash(password, { ...options, memoryCost: 8, timeCost: 1 }, signal)
  argon2.hash = Object.assign(cheap, { isCheap: true as const })
}
