/** The refusals of `shared.ts`, requested from every call that returns them. */
import { sql } from 'kysely'
import { accountCalled } from '#accounts'
import { contract } from '#contract/contract'
import { descriptions } from '#contract/openapi/descriptions'
import type { Name } from '#contract/wire'
import { publicPace } from '../../src/http/admission/pace.ts'
import { digestOf } from '../../src/http/idempotency/idempotency.ts'
import { refusalOf } from '../app.ts'
import {
  askedFor,
  busyAddress,
  callNames,
  isForAnyone,
  isGivenBy,
  keyedCalls,
  program as theProgram,
  type SharedCase,
  usedKey,
} from './shared.ts'
import type { Story } from './story.ts'

const ask = (story: Story, name: Name, of: SharedCase) => story.ask(name, of, askedFor(name, of))

const faults = [
  'malformed-json',
  'body-too-large',
  'unsupported-media-type',
  'method-not-allowed',
  'unknown-field',
  'invalid-field',
  'unauthorized',
  'unauthorized-unknown-token',
] as const satisfies SharedCase[]

/** The faults of a request, and the token that is missing or unknown. */
export async function everyFault(story: Story): Promise<void> {
  await story.customer('anna_smith')
  for (const name of callNames) for (const of of faults) if (isGivenBy(name, of)) await ask(story, name, of)
}

/** Too many calls from one address and by one program, and the calls that no program can make. */
export async function everyPace(story: Story): Promise<void> {
  const one = story.shop.from(busyAddress)
  const asked = Array.from({ length: publicPace.atOnce }, () => refusalOf(one('calculate', { amounts: [] })))
  await Promise.all(asked)
  await story.customer('anna_smith')
  for (const name of callNames) {
    if (isForAnyone(name)) await ask(story, name, 'too-many-requests')
    else await tooFast(story, name)
    if (!isGivenBy(name, 'not-for-reseller-token')) continue
    await program(story, 'rested')
    await ask(story, name, 'not-for-reseller-token')
  }
}

/** These rate limits use the database's clock: on a busy machine the call may be admitted. */
async function tooFast(story: Story, name: Name): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    await program(story, 'out of breath')
    try {
      await ask(story, name, 'too-many-requests')
      return
    } catch (error) {
      if (triesLeft === 0) throw error
    }
  }
}

/** Gives the customer's program a token, with the full allowance or with none. */
async function program(story: Story, state: 'rested' | 'out of breath'): Promise<void> {
  const { db } = story.shop.database
  // An admitted call may have changed or revoked the token.
  const token = await story.shop.client(story.value('token of anna_smith'))('reseller_token', {})
  story.know(`token of ${theProgram}`, token)
  const account = await accountCalled(db, 'anna_smith')
  const ahead = state === 'rested' ? '0 s' : '3 s'
  await sql`
    insert into reseller_pace (account_id, paid_until) values (${account?.id}, clock_timestamp() + ${ahead}::interval)
    on conflict (account_id) do update set paid_until = excluded.paid_until`.execute(db)
}

/** Keys that cannot be accepted, and one whose answer can no longer be read. */
export async function everyKeyFault(story: Story): Promise<void> {
  const { db } = story.shop.database
  await story.customer('anna_smith')
  const account = await accountCalled(db, 'anna_smith')
  const used = (sha256: Buffer, status: number | null) =>
    sql`
    insert into idempotency_key (account_id, key, request_sha256, operation, claim, claimed_at, status, answer_sealed)
    values (${account?.id}, ${usedKey}, ${sha256}, 'o', 'c', now() + interval '50 s', ${status}, 'sealed')
    on conflict (account_id, key) do update
      set request_sha256 = excluded.request_sha256, claimed_at = excluded.claimed_at, status = excluded.status`.execute(
      db,
    )
  for (const name of keyedCalls) {
    const sha256 = digestOf({ name, input: contract[name].input.parse(descriptions[name].input) })
    await ask(story, name, 'invalid-idempotency-key')
    await used(Buffer.alloc(32), 200)
    await ask(story, name, 'idempotency-key-reused')
    await used(sha256, null)
    await ask(story, name, 'idempotency-key-busy')
    await used(sha256, 200)
    await ask(story, name, 'stored-answer-unreadable')
  }
}
