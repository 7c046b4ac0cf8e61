/** SECRET_KEY against what the database keeps sealed with it. */
import { checkSecretKey, countSealed, resealAll, type SealedCount } from '#db/sealed'
import type { Database } from '#db'
import { sealedExitPasswords } from '#exits'
import type { Secrets } from '#lib/secret'
import { sealedLetterTokens } from '#mail'
import { sealedProxyPasswords } from '#proxies'
import { sealedResellerTokens } from '#reseller'
import { sealedTotpSecrets } from '#staff'

/** Everything that is sealed, the shortest first. */
const columns = [
  ...sealedTotpSecrets,
  sealedExitPasswords,
  sealedResellerTokens,
  sealedLetterTokens,
  sealedProxyPasswords,
]

/** The key is another one than the database's; its message is a sentence for the operator. */
export class KeyFault extends Error {}

/** Where a key comes from. */
type KeySource = { secretKey: string | null; dataDir: string }

const sourceOf = ({ secretKey, dataDir }: KeySource) =>
  secretKey === null ? `the key in ${dataDir}/secret` : 'SECRET_KEY'

/** What is wrong with the key, as a sentence. */
export const wrongKeySentence = (source: KeySource) =>
  `This database is sealed with another key than ${sourceOf(source)}: put the right one back. ` +
  'If it was changed on purpose, name the one before it in SECRET_KEY_OLD and see: turnpike key rotate --help. If it is lost: turnpike key accept-loss.'

/**
 * Whether the key is the database's, from what it has sealed; the first process on a database leaves a mark in it. Throws
 * `KeyFault` for a wrong one.
 */
export async function checkKey(
  { db }: Pick<Database, 'db'>,
  secrets: Secrets,
  source: KeySource,
): Promise<'right' | 'unproven'> {
  const state = await checkSecretKey(db, secrets, columns)
  if (state === 'wrong') throw new KeyFault(wrongKeySentence(source))
  return state
}

/** How everything that is sealed stands against the keys of this process. */
export const sealedCounts = ({ db }: Pick<Database, 'db'>, secrets: Secrets): Promise<SealedCount[]> =>
  countSealed(db, secrets, columns)

/** Seals everything with the present key that is sealed with the old one; goes on where an earlier run stopped. */
export const resealEverything = ({ db }: Pick<Database, 'db'>, secrets: Secrets) =>
  resealAll(db, secrets, columns)

/** The names of what cannot be opened, as far as they were noted. */
export const unopenedNames = ({ named, unopened }: SealedCount): string =>
  `${named.join('; ')}${unopened > named.length ? '; …' : ''}`

/** Whether the operator has to set lost values of this kind anew; all others are their owners'. */
export const isOperators = ({ what }: SealedCount): boolean => what === sealedExitPasswords.what
