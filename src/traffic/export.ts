/** What traffic holds about a person. It stays at an erasure: the books are checked against it. */
import { sql } from 'kysely'
import type { PersonalPart } from '#db/personal'
import { mostNumber, proxyUserId } from '#feed/user.ids'

/** The ids of an access's proxy users follow one another, those with reserves after the others. */
const firstId = proxyUserId(0n, 0n)
const idsOfAccess = proxyUserId(1n, 0n) - firstId

export const trafficParts: readonly PersonalPart[] = [
  {
    name: 'activity',
    tables: ['activity_hour', 'usage_minute', 'open_minute'],
    atErasure: 'removed',
    rows: (id) => sql`
      select a.hour, m.pool, a.most_open, a.most_requests from meter m join activity_hour a on a.access_id = m.access_id
      where m.account_id = ${id}`,
    key: { hour: 'timestamptz', pool: 'text' },
  },
  {
    name: 'usage_by_day',
    tables: ['usage_past_day'],
    atErasure: 'kept',
    rows: (id) => sql`
      select d.day, m.pool, d.charged_bytes, d.bonus_bytes, d.requests
      from meter m join usage_day d on d.access_id = m.access_id where m.account_id = ${id}`,
    key: { day: 'date', pool: 'text' },
  },
  {
    name: 'usage_by_hour',
    tables: ['usage_hour'],
    atErasure: 'kept',
    rows: (id) => sql`
      select h.hour, m.pool, sum(h.charged_bytes)::bigint as charged_bytes, sum(h.bonus_bytes)::bigint as bonus_bytes,
        bounded(sum(h.relayed_bytes)) as relayed_bytes, bounded(sum(h.requests)) as requests
      from meter m join usage_hour h on h.access_id = m.access_id where m.account_id = ${id}
      group by h.hour, m.pool`,
    key: { hour: 'timestamptz', pool: 'text' },
  },
  {
    name: 'proxy_user_usage',
    tables: ['proxy_user_day', 'proxy_user_use'],
    atErasure: 'kept',
    // A reseller has millions of them, in the order of the primary key.
    rows: (id, page) => sql`
      select part.* from meter m cross join lateral (
        select * from (
          select d.proxy_user_id as id, d.day, m.pool, d.proxy_user_id & ${mostNumber}::bigint as number,
            d.charged_bytes, d.requests
          from proxy_user_day d, (select ${firstId}::bigint + m.access_id * ${idsOfAccess}::bigint as id) first
          where d.proxy_user_id between first.id and first.id + ${idsOfAccess - 1n}::bigint
        ) part ${page}
      ) part where m.account_id = ${id}`,
    key: { id: 'bigint', day: 'date' },
  },
]
