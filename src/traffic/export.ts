/** What traffic holds about a person. It stays at an erasure: the books are checked against it. */
import { sql } from 'kysely'
import type { PersonalPart } from '#db/personal'

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
    rows: (id) => sql`
      select d.day, m.pool, d.proxy_user_id - (1::bigint << 62) - (m.access_id << 20) as number, d.charged_bytes, d.requests
      from meter m join proxy_user_day d
        on d.proxy_user_id between (1::bigint << 62) + (m.access_id << 20) and (1::bigint << 62) + (m.access_id << 20) + 1048575
      where m.account_id = ${id}`,
    key: { day: 'date', pool: 'text', number: 'bigint' },
  },
]
