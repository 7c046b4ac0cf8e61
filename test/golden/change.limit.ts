/** The refusal at the limit of changes that give access to an account. */
import { sql } from 'kysely'
import type { Name } from '#contract/wire'
import type { Story } from './story.ts'

/** Asks for a change that would succeed, when the account has made as many as the limit admits. */
export async function askAtChangeLimit(
  story: Story,
  call: Name,
  { as, ...given }: { as: string; input?: Record<string, unknown> },
): Promise<void> {
  const { database, clock } = story.shop
  await sql`
    insert into attempt (kind, subject, at)
    select 'security_change', 'account ' || id, ${clock.now}::timestamptz from account, generate_series(1, 30)
    where username = ${as}`.execute(database.db)
  await story.ask(call, 'too-many-attempts', { as, ends: 'too_many_attempts', ...given })
  await sql`delete from attempt where kind = 'security_change'`.execute(database.db)
}
