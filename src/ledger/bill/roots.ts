/**
 * The roots of days over the heads of all bills, and the proofs that a head is in one: docs/bill.md.
 * Published data reveals nothing about customers: leaves have secret nonces and no order of accounts, and
 * random leaves fill the tree up, so that its depth does not reveal how many there are.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { rootsHeader, type RootProof } from '#contract/bill/roots'
import { type DB, lockName, transaction } from '#db'

const hashBytes = 32
/** The size of a small shop's tree: random leaves fill it up to this number. */
const leastLeaves = 256

const sha256 = (...parts: readonly Uint8Array[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const nonceOf = (secret: Uint8Array, accountId: bigint) =>
  createHmac('sha256', secret).update(String(accountId)).digest()
/** Prefixes keep a leaf from being taken for a node, as in RFC 6962. */
const leafOf = (nonce: Uint8Array, head: Uint8Array) => sha256(Buffer.of(0), nonce, head)
const nodeOf = (left: Uint8Array, right: Uint8Array) => sha256(Buffer.of(1), left, right)

/**
 * Makes the root of this UTC day over the heads of all bills as they are now, unless it exists. False: it
 * exists, or there are no bills. Days on which it does not run have no root: none is dated back. Any number
 * of processes may do so concurrently.
 */
export async function makeBillRoot(
  db: Kysely<DB>,
  now: Date,
  random: (bytes: number) => Buffer = randomBytes,
): Promise<boolean> {
  const day = now.toISOString().slice(0, 10)
  const isMade = async (of: Kysely<DB>) =>
    (await sql`select from bill_root where day >= ${day}::date`.execute(of)).rows.length > 0
  if (await isMade(db)) return false
  return transaction(db, async (tx) => {
    // Lines are made under the same lock: each line is in this root, or has a higher number.
    await lockName(tx, 'bill')
    if (await isMade(tx)) return false
    const { rows } = await sql<{ accountId: bigint; id: bigint; head: Buffer }>`
      select one.account_id as "accountId", last.id, last.sha256 as head
      from (select distinct account_id from bill_pool) one
      cross join lateral (
        select id, sha256 from bill_line where account_id = one.account_id order by line desc limit 1
      ) last`.execute(tx)
    if (rows.length === 0) return false
    const secret = random(hashBytes)
    const leaves = rows.map(({ accountId, head }) => leafOf(nonceOf(secret, accountId), head))
    const lastLine = rows.reduce((last, { id }) => (id > last ? id : last), 0n)
    await sql`
      insert into bill_root (day, last_line, secret, nodes, made_at)
      values (${day}::date, ${lastLine}, ${secret}, ${treeOf(leaves, random)}, ${now})`.execute(tx)
    return true
  })
}

/** The nodes of a tree, level by level from the leaves. */
function treeOf(leaves: readonly Buffer[], random: (bytes: number) => Buffer): Buffer {
  let width = leastLeaves
  while (width < leaves.length) width *= 2
  const filled = [...leaves]
  while (filled.length < width) filled.push(random(hashBytes))
  const levels = [filled.toSorted((a, b) => a.compare(b))]
  for (let below = levels[0] ?? []; below.length > 1;) {
    const level: Buffer[] = []
    for (let at = 0; at < below.length; at += 2)
      level.push(nodeOf(below[at] ?? Buffer.of(), below[at + 1] ?? Buffer.of()))
    levels.push(level)
    below = level
  }
  return Buffer.concat(levels.flat())
}

/**
 * The proof that the head of a customer's bill is in the root of a day, or of the last one; null: there is no
 * such root, or the bill had no lines.
 */
export async function billProof(
  db: Kysely<DB>,
  { accountId, day }: { accountId: bigint; day: string | null },
): Promise<RootProof | null> {
  const { rows } = await sql<{ day: string; secret: Buffer; size: number; line: bigint; head: Buffer }>`
    select root.day::text as day, secret, length(nodes) as size, last.line, last.sha256 as head
    from bill_root root cross join lateral (
      select line, sha256 from bill_line l
      where l.account_id = ${accountId} and l.id <= root.last_line order by line desc limit 1
    ) last
    where ${day}::date is null or root.day = ${day}::date order by root.day desc limit 1`.execute(db)
  const [known] = rows
  if (known === undefined) return null
  const { head, line, secret } = known
  const nonce = nonceOf(secret, accountId)
  const index = await placeOf(db, known.day, leafOf(nonce, head))
  if (index === null) return null
  const hashes = await nodesAt(db, known.day, pathPlaces(index, known.size / hashBytes))
  const root = hashes.pop() ?? ''
  return {
    day: known.day,
    line: Number(line),
    head: head.toString('hex'),
    nonce: nonce.toString('hex'),
    index,
    path: hashes,
    root,
  }
}

async function placeOf(db: Kysely<DB>, day: string, leaf: Buffer): Promise<number | null> {
  const { rows } = await sql<{ at: number }>`
    select position(${leaf}::bytea in nodes) as at from bill_root where day = ${day}::date`.execute(db)
  const at = rows[0]?.at ?? 0
  return at === 0 ? null : (at - 1) / hashBytes
}

/** The positions of the sibling node at each level, then the position of the root. */
function pathPlaces(index: number, nodes: number): number[] {
  const places: number[] = []
  let at = index
  let begin = 0
  for (let width = (nodes + 1) / 2; width > 1; width /= 2) {
    places.push(begin + (at % 2 === 0 ? at + 1 : at - 1))
    begin += width
    at = Math.floor(at / 2)
  }
  return [...places, begin]
}

async function nodesAt(db: Kysely<DB>, day: string, places: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    select encode(substring(root.nodes from place * ${hashBytes} + 1 for ${hashBytes}), 'hex') as hash
    from bill_root root cross join unnest(${places}::int[]) with ordinality told(place, n)
    where root.day = ${day}::date order by n`.execute(db)
  return rows.map(({ hash }) => hash)
}

/** The public list of all roots, a file to which each day adds a line. */
export async function billRoots(db: Kysely<DB>): Promise<string> {
  const { rows } = await sql<{ lines: string | null }>`
    select string_agg(bill_root_text(root) || ',' || encode(root.sha256, 'hex') || chr(10), '' order by root.day) as lines
    from bill_root root`.execute(db)
  return `${rootsHeader}\n${rows[0]?.lines ?? ''}`
}
