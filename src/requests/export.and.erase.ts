/** The personal data in connection records, and its erasure. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const requestParts: readonly PersonalPart[] = [
  {
    name: 'connections',
    tables: ['connection_record'],
    atErasure: 'removed',
    rows: (id) => sql`
      select ended_at, id as request_id, accepted_at, protocol, host, port, host(client) as client_address, client_port,
        settings, country, outcome, status, code, sentence, duration_ms, up_bytes, down_bytes, charged_up_bytes,
        charged_down_bytes, multiplier, proxy_user_id, host(target_address) as target_address,
        host(exit_address) as exit_address, exit_port
      from connection_record where account_id = ${id}`,
    key: { ended_at: 'timestamptz', request_id: 'uuid' },
  },
  {
    name: 'usage_by_part',
    tables: ['usage_part_day'],
    atErasure: 'removed',
    rows: (id) => sql`
      select day, pool, part, key, connections, refused, relayed_bytes, charged_bytes from usage_part_day where account_id = ${id}`,
    key: { day: 'date', pool: 'text', part: 'text', key: 'text' },
  },
  {
    name: 'outcomes',
    tables: ['connection_outcome'],
    atErasure: 'removed',
    rows: (id) =>
      sql`select slot, pool, country, reached, failed from connection_outcome where account_id = ${id}`,
    key: { slot: 'timestamptz', pool: 'text', country: 'text' },
  },
  {
    name: 'hosts_not_kept',
    tables: ['host_privacy'],
    atErasure: 'removed',
    rows: (id) => sql`select since, erased_at from host_privacy where account_id = ${id}`,
    key: { since: 'timestamptz' },
  },
]

/** The number deleted per transaction. */
const batchRows = 5000

/** Deletes the records of a customer's connections, batch by batch; returns how many. */
export async function eraseRequests(db: Kysely<DB>, accountId: bigint): Promise<number> {
  await sql`delete from usage_part_day where account_id = ${accountId}`.execute(db)
  await sql`delete from connection_outcome where account_id = ${accountId}`.execute(db)
  await sql`delete from host_privacy where account_id = ${accountId}`.execute(db)
  let erased = 0
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from connection_record r using (
        select tableoid, ctid from connection_record where account_id = ${accountId} limit ${batchRows}) batch
      where r.tableoid = batch.tableoid and r.ctid = batch.ctid`.execute(db)
    erased += Number(numAffectedRows)
    if (numAffectedRows < BigInt(batchRows)) return erased
  }
}
