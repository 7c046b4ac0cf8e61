/** The refusals of `shared.ts`, requested from every call that returns them. */
import { sql } from 'kysely'
import { accountCalled } from '#accounts'
import type { Name } from '#contract/wire'
import { publicPace } from '../../src/http/admission/pace.ts'
import { refusalOf } from '../app.ts'
import {
  askedFor,
  busyAddress,
  callNames,
  isForAnyone,
  isGivenBy,
  type KeyedName,
  program as theProgram,
  type SharedCase,
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

/**
 * The answers of a call with an Idempotency-Key to a key that it cannot accept, after the story has used one.
 */
export async function keyFaults(story: Story, name: KeyedName): Promise<void> {
  await ask(story, name, 'idempotency-key-reused')
  await ask(story, name, 'invalid-idempotency-key')
  // Marks the first request as still running.
  await story.shop.database.db
    .updateTable('idempotency_key')
    .set({ status: null, created_at: new Date() })
    .execute()
  await ask(story, name, 'idempotency-key-busy')
}
