/**
 * Idempotency-Key: the first call with a key does the work, and repetitions get the same answer for 24 hours,
 * with the header `idempotency-replayed: true`.
 *
 * The key's row is written before the work and completed after it, and the process may be killed, or the
 * database lost, between the two. The call's declaration (`Once` in `#contract/call`) says what happens then:
 * the handler's writes are committed in one transaction with the answer; or they carry the operation's id,
 * which the row keeps, so that a request that takes the key over finds them; or the work is done again.
 *
 * A call that is refused or fails releases its key: its answer is not stored, and the caller may repeat it.
 */
import { createHash } from 'node:crypto'
import type { Once } from '#contract/call'
import { type Database, enclosingTransaction } from '#db'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import {
  type Answer,
  type Claim,
  claimKey,
  deleteKey,
  isStored,
  type Key,
  releaseClaim,
  renewClaim,
  storeAnswer,
  storedCall,
} from './answers.ts'

export interface KeyedCall extends Key {
  /** The member of a team who makes the call; unset: the account itself. */
  memberId?: bigint | undefined
  name: string
  /** Parsed. */
  input: unknown
  once: Once
}

interface Deps {
  database: Database
  secrets: Secrets
}

/** The parts of the context that are special for the handler of a keyed call. */
export interface Part {
  database: Database
  operation: string
}

/** The interval at which the process that does the work renews its claim. */
const renewEveryMs = 1000

const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** Refuses a key that is not 1 to 255 visible ASCII characters. */
export function checkKey(key: string): void {
  if (!visibleAscii.test(key)) throw new Refusal('invalid_idempotency_key')
}

const busy = () => new Refusal('idempotency_key_busy', {}, 1)

/** The digest by which a repetition is recognised. */
export function digestOf({ name, input, memberId }: Pick<KeyedCall, 'name' | 'input' | 'memberId'>): Buffer {
  const member = memberId === undefined ? [] : [String(memberId)]
  return createHash('sha256')
    .update(JSON.stringify([name, input, ...member]))
    .digest()
}

/**
 * Answers a call with a key: does the work by `inTurn`, which admits it and runs it in its queue, or repeats
 * the stored answer.
 */
export async function answerOnce(
  { database, secrets }: Deps,
  call: KeyedCall,
  inTurn: (work: () => Promise<Answer>) => Promise<Answer>,
  run: (part: Part) => Promise<Answer>,
): Promise<Answer> {
  const { db } = database
  const sha256 = digestOf(call)
  const claim = await claimKey(db, call, sha256)
  if (claim === null) return replay({ database, secrets }, call, sha256)
  const renewal = setInterval(() => void renewClaim(db, call, claim).catch(() => undefined), renewEveryMs)
  try {
    return await inTurn(() => work({ database, secrets }, { ...call, ...claim }, run))
  } catch (error) {
    if (error instanceof ClaimLost) throw busy()
    if (error instanceof Refusal) {
      if (await deleteKey(db, call, claim)) throw error
      throw busy()
    }
    // How much of the work was done is unknown, so the key is kept. If its claim cannot be released, it
    // expires.
    await releaseClaim(db, call, claim).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewal)
  }
}

/** Another request has taken the key over, because this process was silent for too long. */
class ClaimLost extends Error {}

/** Does the work and stores its answer. */
async function work(
  { database, secrets }: Deps,
  call: KeyedCall & Claim,
  run: (part: Part) => Promise<Answer>,
): Promise<Answer> {
  const { operation } = call
  if (call.once !== 'in a transaction') {
    const answer = await run({ database, operation })
    await storeAnswer(database.db, secrets, call, answer)
    return answer
  }
  const end = await enclosingTransaction(database.db, async (tx) => {
    try {
      const answer = await run({ database: { ...database, db: tx }, operation })
      if (!(await storeAnswer(tx, secrets, call, answer))) throw new ClaimLost()
      return answer
    } catch (error) {
      // What a refused call writes, such as a count of attempts, is committed as without a key.
      if (error instanceof Refusal) return error
      throw error
    }
  })
  if (end instanceof Refusal) throw end
  return end
}

/**
 * Whether the same call was admitted before with this key. Its work may be done already, so admission is not
 * checked again. A key is stored only for an admitted call, but another call may be admitted more easily.
 */
export const isAdmitted = ({ db }: Database, call: KeyedCall): Promise<boolean> =>
  isStored(db, call, digestOf(call))

async function replay({ database, secrets }: Deps, call: KeyedCall, sha256: Buffer): Promise<Answer> {
  const stored = await storedCall(database.db, secrets, call)
  if (stored !== null && !stored.sha256.equals(sha256)) throw new Refusal('idempotency_key_reused')
  if (stored === null || stored.answer === null) throw busy()
  if (stored.answer === 'unreadable') throw new Refusal('stored_answer_unreadable')
  const { status, headers, body } = stored.answer
  return { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body }
}
