/**
 * Records of tunnels and requests, for the customers who made them and for operators: gateways send all of
 * them in batches. They are not a part of the books: a record that a gateway could not send is lost, and
 * charges do not depend on records.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { RequestRecord } from '#feed'
import { printTarget, type StoredTarget } from './target.ts'

export { eraseWithheld } from './erasing.ts'
export { forgetOldRequests } from './days.ts'
export { type Connection, type ConnectionQuery, type ConnectionPage, findConnections } from './find.ts'
export { eraseRequests, requestParts } from './export.and.erase.ts'
export { keepRequests } from './keep.ts'
export { medianConnect } from './hour.ts'
export { type FairOutcome, fairOutcomes, forgetOutcomes } from './outcomes.ts'
export {
  accountKey,
  daysOfPart,
  otherKeys,
  refusedByDay,
  type UsageOfPart,
  usageOfPart,
  type UsagePart,
  usageParts,
} from './usage.by.part.ts'
export { userKeys, userNames } from './users.ts'
export { setWithholdsHosts, withholdsHosts } from './privacy.ts'
export { listRequests, type ListQuery, type RequestPage } from './list.ts'
export { LiveRequests, type StreamSink } from './live.ts'
export { type News } from './live.read.ts'
export { hasRequests, type LastDay, lastDayOf } from './day.ts'
export { listedOnWire } from './row.ts'
export {
  addUpConnections,
  type ConnectionSum,
  connectionSums,
  directionsByExit,
  type ExitDirections,
  sumsOfCustomer,
} from './sums.ts'

/** The stored record of a request. */
export interface KeptRequest extends Omit<RequestRecord, 'access' | 'at_ms' | 'exit'> {
  pool: string
  accepted_at: Date
  /** The login and the name of the proxy user, see `ListedRequest`. */
  user: string | null
  user_label: string | null
  /** Requests of the same pool in the same minute of which no record was kept. */
  unkept: bigint
}

function withTarget<T extends StoredTarget>({ host, port, ...rest }: T) {
  return { ...rest, target: printTarget({ host, port }) }
}

/** A request of this customer, or null: it does not exist, is no longer kept, or has no record. */
export async function findRequest(
  db: Kysely<DB>,
  { accountId, id }: { accountId: bigint; id: string },
): Promise<KeptRequest | null> {
  if (!isRequestId(id)) return null
  const { rows } = await sql<Omit<KeptRequest, 'target'> & StoredTarget>`
    select ${columns} ${fromRecords} where r.id = ${id}::uuid and s.account_id = ${accountId} limit 1`.execute(
    db,
  )
  return rows[0] === undefined ? null : withTarget(rows[0])
}

/** Payload bytes that were relayed and cost nothing, because an exit may have failed. */
export function forgivenBytes({
  multiplier,
  up_bytes,
  down_bytes,
  charged_up_bytes,
  charged_down_bytes,
}: KeptRequest): bigint {
  return up_bytes + down_bytes - (charged_up_bytes + charged_down_bytes) / BigInt(multiplier)
}

/** A request as operators look it up, with its customer. */
export interface OwnedRequest extends KeptRequest {
  /** The customer's account, and their access to the pool. */
  account: bigint
  access: bigint
  login: string
  exit: bigint | null
  /** The client's address and port. */
  client: string | null
  client_port: number | null
}

/** The request of any customer, for the operator; null like `findRequest`. */
export async function requestById(db: Kysely<DB>, id: string): Promise<OwnedRequest | null> {
  if (!isRequestId(id)) return null
  const { rows } = await sql<Omit<OwnedRequest, 'target'> & StoredTarget>`
    select ${columns}, s.account_id as account, s.id as access, s.login, r.exit_id as exit, host(r.client) as client,
      r.client_port
    ${fromRecords} where r.id = ${id}::uuid limit 1`.execute(db)
  return rows[0] === undefined ? null : withTarget(rows[0])
}

const isRequestId = (id: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

const fromRecords = sql`
  from connection_record r join access s on s.id = r.access_id left join proxy_user u on u.id = r.proxy_user_id`

const columns = sql`
  r.id, s.pool, u.login as "user", nullif(u.label, '') as user_label, r.accepted_at, r.protocol, r.host, r.port, r.settings, r.multiplier, r.country,
  r.authenticated_ms, r.exit_chosen_ms, r.connected_ms, r.first_byte_ms, r.duration_ms as ended_ms,
  r.outcome, r.status, r.code, r.sentence, r.exit_status, r.exit_word,
  r.up_bytes, r.down_bytes, r.charged_up_bytes, r.charged_down_bytes,
  coalesce((
    select u.requests from request_unkept u
    where u.access_id = r.access_id and u.minute = date_trunc('minute', r.accepted_at)), 0)::bigint as unkept`

/** The number of the customer's requests without a record, as long as records are kept. */
export async function unkeptRequests(db: Kysely<DB>, accountId: bigint): Promise<bigint> {
  const { rows } = await sql<{ unkept: bigint }>`
    select bounded(coalesce(sum(u.requests), 0)) as unkept
    from access s join request_unkept u on u.access_id = s.id where s.account_id = ${accountId}`.execute(db)
  return rows[0]?.unkept ?? 0n
}
