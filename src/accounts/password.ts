/** Account passwords: argon2id with the parameters OWASP recommends (19 MiB, 2 passes, 1 lane). */
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** More simultaneous hashes than cores would only delay the other work of the thread pool. */
let free = availableParallelism()
const waiting: (() => void)[] = []

async function oneOfFew<T>(work: () => Promise<T>): Promise<T> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
  else free -= 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
}

export function hashPassword(password: string): Promise<string> {
  return oneOfFew(() => hash(password.normalize('NFKC'), parameters))
}

/** A hash that no password matches: an unknown user takes the same time as a known one. */
let unmatched: Promise<string> | undefined

/** True when the password is right; null stands for a user who does not exist or has no password. */
export async function passwordMatches(passwordHash: string | null, password: string): Promise<boolean> {
  unmatched ??= hashPassword(crypto.randomUUID())
  const against = passwordHash ?? (await unmatched)
  const matches = await oneOfFew(() => verify(against, password.normalize('NFKC')))
  return matches && passwordHash !== null
}
