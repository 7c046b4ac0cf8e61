/** Records of connections, as a gateway sends them. */
import { randomUUID } from 'node:crypto'
import type { Pool } from '#contract/wire'
import type { ConnectionBatch, RecordBatch, RequestRecord } from '#feed'
import { type ConnectionRecord, printConnection } from '#feed/connection.record'
import { keepRequests } from '#requests'
import type { Database } from '#db'

type Whose = { accessId: bigint; accountId: bigint; pool: Pool }

/** A connection of a second that ended well, with 100 bytes up and 900 down. */
export function connectionOf(
  { accessId, accountId, pool }: Whose,
  endedAt: Date,
  rest: Partial<ConnectionRecord> = {},
): ConnectionRecord {
  const { ended_ms = 1000 } = rest
  return {
    id: randomUUID(),
    account: accountId,
    access: accessId,
    pool,
    client: '203.0.113.9',
    client_port: 40_000,
    at_ms: endedAt.getTime() - ended_ms,
    protocol: 'connect',
    target: 'target.example:443',
    settings: 'cc-us',
    multiplier: 1,
    country: 'us',
    exit: null,
    authenticated_ms: 1,
    exit_chosen_ms: 2,
    connected_ms: 30,
    first_byte_ms: 40,
    ended_ms,
    outcome: 'done',
    status: null,
    code: null,
    sentence: null,
    exit_status: null,
    exit_word: null,
    up_bytes: 100n,
    down_bytes: 900n,
    charged_up_bytes: 100n,
    charged_down_bytes: 900n,
    target_address: null,
    exit_address: null,
    exit_port: null,
    ...rest,
  }
}

/** The fields of the record of a connection that the gateway refused with this code, relaying nothing. */
export const refusedWith = (code: string): Partial<ConnectionRecord> => ({
  outcome: 'refused',
  status: 502,
  code,
  sentence: 'refused',
  up_bytes: 0n,
  down_bytes: 0n,
  charged_up_bytes: 0n,
  charged_down_bytes: 0n,
})

const unknownEnds = {
  account: null,
  pool: '-',
  client: null,
  client_port: null,
  target_address: null,
  exit_address: null,
  exit_port: null,
}

/** A batch of a gateway, of a run of its own unless one is given. */
export const batchOf = (
  records: readonly (RequestRecord & Partial<ConnectionRecord>)[],
  { unkept = [], ...rest }: Partial<ConnectionBatch & Pick<RecordBatch, 'unkept'>> = {},
): RecordBatch => ({
  unkept,
  batch: {
    gateway: 'gw1-0',
    boot: 'b1',
    run: randomUUID(),
    number: 1,
    lines: records.map((one) => printConnection({ ...unknownEnds, ...one })).join('\n'),
    ...rest,
  },
})

/** Stores the records, as the server stores a batch of a gateway. */
export const keepConnections = (db: Database['db'], records: readonly ConnectionRecord[], now: Date) =>
  keepRequests(db, batchOf(records), { now })
