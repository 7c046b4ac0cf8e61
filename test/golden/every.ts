/** What calls of a kind refuse alike, asked of each of them: see `documentedRefusals` of the OpenAPI document. */
import { sql } from 'kysely'
import { accountCalled } from '#accounts'
import { contract } from '#contract/contract'
import { descriptions } from '#contract/openapi/descriptions'
import { documentedRefusals } from '#contract/openapi/openapi'
import type { RefusalCode } from '#contract/refusals'
import { isForResellers, type Name, wire } from '#contract/wire'
import { publicPace } from '../../src/http/pace.ts'
import { refusalOf } from '../app.ts'
import type { Asked, Story } from './story.ts'

const names = Object.keys(wire) as Name[]
const exampleOf = (name: Name) => descriptions[name].input as Record<string, unknown>

/** How a call that would be done is spoilt, so that it is refused with a code. */
const spoilt: Partial<Record<RefusalCode, (asked: Asked, name: Name) => Asked>> = {
  malformed_json: (asked) => ({ ...asked, body: '{"colour": ' }),
  body_too_large: (asked) => ({ ...asked, input: { ...asked.input, colour: 'x'.repeat(70_000) } }),
  unsupported_media_type: (asked) => ({
    ...asked,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'colour=red',
  }),
  unknown_field: (asked) => ({ ...asked, input: { ...asked.input, colour: 'red' } }),
  invalid_field: (asked, name) => {
    const field = firstRequired(name)
    const { [field]: _left, ...input } = asked.input ?? {}
    return { ...asked, input, ends: { status: 422, code: `invalid_${field}` } }
  },
  unauthorized: ({ as: _nobody, ...asked }) => asked,
}

/** The field that is missed first when there is none. A provider is always there: it is part of the path. */
function firstRequired(name: Name): string {
  const given = wire[name].path.includes('{provider}') ? { provider: 'gateway' } : {}
  return String(contract[name].input.safeParse(given).error?.issues[0]?.path[0])
}

const fileOf = (code: RefusalCode) => code.replaceAll('_', '-')

/** The faults of a request, and the token that is missing. */
export async function everyFault(story: Story): Promise<void> {
  await story.customer('anna_smith')
  for (const name of names) {
    const as = wire[name].who === 'anyone' ? {} : { as: 'anna_smith' }
    for (const code of documentedRefusals(name)) {
      const asked: Asked = { ...as, input: exampleOf(name), ends: code }
      const spoil = spoilt[code]
      if (spoil !== undefined) await story.ask(name, fileOf(code), spoil(asked, name))
    }
  }
}

/** Too many calls from one address and of one program, and the calls that are for no program at all. */
export async function everyPace(story: Story): Promise<void> {
  const crowd = '203.0.113.90'
  const one = story.shop.from(crowd)
  const asked = Array.from({ length: publicPace.atOnce }, () => refusalOf(one('calculate', { amounts: [] })))
  await Promise.all(asked)
  await story.customer('anna_smith')
  for (const name of names) {
    const input = exampleOf(name)
    if (wire[name].who === 'anyone')
      await story.ask(name, 'too-many-requests', { input, from: crowd, ends: 'too_many_requests' })
    else await tooFast(story, name)
    if (wire[name].who === 'anyone' || isForResellers(name)) continue
    const as = await program(story, 'rested')
    await story.ask(name, 'not-for-reseller-token', { input, as, ends: 'not_for_reseller_token' })
  }
}

/** Whose pace the database's own clock keeps: on a machine that is busy at this moment, the call may be let through. */
async function tooFast(story: Story, name: Name): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    const as = await program(story, 'out of breath')
    try {
      await story.ask(name, 'too-many-requests', { input: exampleOf(name), as, ends: 'too_many_requests' })
      return
    } catch (error) {
      if (triesLeft === 0) throw error
    }
  }
}

/** The program of a customer, by the name of its token, with all of its allowance or with none. */
async function program(story: Story, state: 'rested' | 'out of breath'): Promise<string> {
  const { db } = story.shop.database
  // A call that was let through may have changed or ended the token.
  const token = await story.shop.client(story.value('token of anna_smith'))('reseller_token', {})
  story.know('token of the program', token)
  const account = await accountCalled(db, 'anna_smith')
  const ahead = state === 'rested' ? '0 s' : '3 s'
  await sql`
    insert into reseller_pace (account_id, paid_until) values (${account?.id}, clock_timestamp() + ${ahead}::interval)
    on conflict (account_id) do update set paid_until = excluded.paid_until`.execute(db)
  return 'the program'
}

/** What a call that works once per Idempotency-Key says to a key that it cannot take; `key` was used with `input`. */
export async function keyFaults(
  story: Story,
  name: Name,
  { as, key, input, other }: Record<'input' | 'other', Record<string, unknown>> & { as: string; key: string },
): Promise<void> {
  const asked = { as, input, headers: { 'idempotency-key': key } }
  await story.ask(name, 'idempotency-key-reused', { ...asked, input: other, ends: 'idempotency_key_reused' })
  await story.ask(name, 'invalid-idempotency-key', {
    ...asked,
    headers: { 'idempotency-key': 'two words' },
    ends: 'invalid_idempotency_key',
  })
  // As if the first request were still at work.
  await story.shop.database.db
    .updateTable('idempotency_key')
    .set({ status: null, created_at: new Date() })
    .execute()
  await story.ask(name, 'idempotency-key-busy', { ...asked, ends: 'idempotency_key_busy' })
}
