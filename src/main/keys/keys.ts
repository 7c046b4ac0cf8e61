/** The check of SECRET_KEY against the sealed values of the database. */
import { checkSecretKey, countSealed, resealAll, type SealedCount } from '#db/sealed'
import type { Database } from '#db'
import { sealedExitPasswords } from '#exits'
import { sealedAnswers } from '#http/answers'
import { sealedAccountTotp } from '#second-factors'
import type { Secrets } from '#lib/secret'
import { sealedLetterTokens } from '#mail'
import { sealedProxyPasswords } from '#proxies'
import { sealedResellerTokens } from '#reseller'
import { sealedSellerCredentials } from '#sellers'
import { sealedVariables } from '#settings'
import { sealedTotpSecrets } from '#staff'
import { sealedMethodIds } from '#topup'
import { sealedUserPasswords } from '#proxy-users'

/** All sealed columns, the smallest first. */
const columns = [
  sealedVariables,
  ...sealedTotpSecrets,
  sealedExitPasswords,
  sealedSellerCredentials,
  sealedMethodIds,
  sealedAccountTotp,
  sealedResellerTokens,
  sealedLetterTokens,
  sealedProxyPasswords,
  sealedUserPasswords,
  sealedAnswers,
]

/** The key is not the database's; the message is a sentence for the operator. */
export class KeyFault extends Error {}

/** The source of a key. */
type KeySource = { secretKey: string | null; dataDir: string }

const sourceOf = ({ secretKey, dataDir }: KeySource) =>
  secretKey === null ? `the key in ${dataDir}/secret` : 'SECRET_KEY'

/** The fault of the key, as a sentence. */
export const wrongKeySentence = (source: KeySource) =>
  `This database is sealed with another key than ${sourceOf(source)}: put the right one back. ` +
  'If it was changed on purpose, name the one before it in SECRET_KEY_OLD and see: turnpike key rotate --help. If it is lost: turnpike key accept-loss.'

/**
 * Checks that the key is the database's, from the sealed values; the first process on a database stores a
 * check in it. Throws `KeyFault` for a wrong key.
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

/** Counts all sealed values by the keys of this process. */
export const sealedCounts = ({ db }: Pick<Database, 'db'>, secrets: Secrets): Promise<SealedCount[]> =>
  countSealed(db, secrets, columns)

/** Seals every value of the old key with the present key; continues where an earlier run stopped. */
export const resealEverything = ({ db }: Pick<Database, 'db'>, secrets: Secrets) =>
  resealAll(db, secrets, columns)

/** The names of the first values that cannot be opened. */
export const unopenedNames = ({ named, unopened }: SealedCount): string =>
  `${named.join('; ')}${unopened > named.length ? '; …' : ''}`

/** Whether the operator has to set lost values of this kind anew; all others are replaced by their owners. */
export const isOperators = ({ what }: SealedCount): boolean =>
  what === sealedExitPasswords.what || what === sealedSellerCredentials.what

/** How the operator sets lost values of this kind anew. */
export const setAnew = ({ what }: SealedCount): string =>
  what === sealedExitPasswords.what
    ? 'Set their passwords anew: turnpike exits set'
    : 'Enter them anew on the desk’s page of exits, or remove the accounts: turnpike sellers remove'
