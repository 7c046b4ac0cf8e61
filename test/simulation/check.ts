/** Invariants at rest: the books are consistent in themselves, and with the model. */
import { sql } from 'kysely'
import { bytesPerGb } from '#contract/wire'
import { isReservedUserId, payerOf } from '#feed/user.ids'
import { moneyOf } from '#purchase'
import { verifyBooks } from '../../src/main/books.ts'
import type { Order } from './model.ts'
import { isReturning } from './processors.ts'
import { firstBonusBytes, type World } from './world.ts'

/** All violations, as sentences; empty when there are none. */
export async function violations(world: World): Promise<string[]> {
  const findings = await verifyBooks(world.database.db)
  return [
    ...world.model.surprises,
    ...findings.map(({ check, subject, detail }) => `${check}: ${subject}: ${detail}`),
    ...(await wrongOrders(world)),
    ...(await wrongGifts(world)),
    ...(await wrongTraffic(world)),
    ...(await wrongBalances(world)),
    ...(await wrongShares(world)),
    ...(await wrongMoney(world)),
    ...(await wrongPromo(world)),
    ...(await wrongRefunds(world)),
    ...(await wrongReturns(world)),
    ...(await wrongFees(world)),
  ]
}

interface Row {
  number: string
  state: string
  cost_micros: bigint
  full_cost_micros: bigint
  received_micros: bigint
  credited_bytes: bigint
  refunded_micros: bigint
  taken_back_bytes: bigint
  promo_lost_at: Date | null
  /** Violations in its payments, and in the ledger's postings for them. */
  payments: bigint
  payments_micros: bigint
  posted_bytes: bigint
  /** The number of refunds, by the shop and by the processor. */
  refunds: bigint
}

async function invoicesOf({ database }: World): Promise<Map<string, Row>> {
  const { rows } = await sql<Row>`
    select i.number, i.state, i.cost_micros, i.full_cost_micros, i.received_micros, i.credited_bytes, i.refunded_micros,
      i.taken_back_bytes, i.promo_lost_at, count(p.method) as payments,
      coalesce(sum(p.received_micros), 0)::bigint as payments_micros, coalesce(sum(posted.bytes), 0)::bigint as posted_bytes,
      (select count(*) from refund r where r.invoice_id = i.id)
        + (select count(*) from processor_refund r where r.invoice_id = i.id) as refunds
    from invoice i
    left join payment p on p.invoice_id = i.id
    left join lateral (
      select sum(e.amount) as bytes from ledger_transaction t
      join ledger_entry e on e.transaction_id = t.id join ledger_account a on a.id = e.account_id
      where t.kind = 'purchase' and a.kind = 'traffic_paid'
        and t.reference = p.method || ':' || p.external_payment_id
    ) posted on true
    group by i.id`.execute(database.db)
  return new Map(rows.map((row) => [row.number, row]))
}

async function wrongOrders(world: World): Promise<string[]> {
  const invoices = await invoicesOf(world)
  return world.model.orders.flatMap((order) => {
    const row = invoices.get(order.number)
    const what = `order ${order.number} (${order.method}, ${order.state})`
    if (row === undefined) return order.state === 'made' ? [`${what} was answered and does not exist`] : []
    if (order.state === 'refused' && order.isFromBalance) return [`${what} was refused and made`]
    return wrongOrder(order, row).map((fault) => `${what}: ${fault}`)
  })
}

function wrongOrder(order: Order, row: Row): string[] {
  const faults: string[] = []
  const expect = (what: string, is: unknown, should: unknown) => {
    if (is !== should) faults.push(`${what} is ${String(is)}, and should be ${String(should)}`)
  }
  const { quote, paidMicros } = order
  if (quote !== null) expect('its cost', row.cost_micros, quote.costMicros)
  expect('what it received', row.received_micros, paidMicros)
  if (!order.isFromBalance) {
    expect('the sum of its payments', row.payments_micros, paidMicros)
    expect('what the ledger credited for it', row.posted_bytes, row.credited_bytes)
  }
  const due = row.promo_lost_at === null ? row.cost_micros : row.full_cost_micros
  const whole = order.gb * bytesPerGb
  const worth = paidMicros >= due ? whole : (whole * paidMicros) / due
  // What a money balance has bought is returned with a top-up whose payer gets the money back.
  if (order.refund === 'none' && !order.isReturned && order.method !== 'balance') {
    expect('what it was credited', row.credited_bytes, worth)
    expect('what it gave back', row.refunded_micros, 0n)
    if (paidMicros > 0n) expect('its state', row.state, paidMicros >= due ? 'paid' : 'underpaid')
    return faults
  }
  // Judged by the sums, whatever refunds were made or came back.
  const isAll = row.refunded_micros === paidMicros
  const asPaid = paidMicros >= due ? 'paid' : 'underpaid'
  const should = row.refunded_micros === 0n ? asPaid : isAll ? 'refunded' : 'partly_refunded'
  if (paidMicros > 0n) expect('its state', row.state, should)
  // The customer keeps the worth of the remaining money, except for a part of a cent per refund, and the
  // traffic that could not be taken back.
  const kept = paidMicros - row.refunded_micros - 10_000n * (1n + row.refunds)
  const held = row.credited_bytes - row.taken_back_bytes
  if (held < whole && kept >= 0n && held * due <= kept * whole)
    faults.push(
      `its customer kept ${held} B of ${whole} B, and ${row.refunded_micros} of ${paidMicros} came back`,
    )
  if (held > whole) faults.push(`its customer kept ${held} B of ${whole} B`)
  return faults
}

/** Each customer used each code at most once, and exactly those whose calls succeeded. */
async function wrongGifts({ database, model }: World): Promise<string[]> {
  const { rows } = await sql<{ account_id: bigint; code: string }>`
    select u.account_id, c.code from promo_use u join promocode c on c.id = u.promocode_id
    where c.kind = 'traffic'`.execute(database.db)
  const used = rows.map((row) => `${row.code} by ${row.account_id}`).toSorted()
  const given = model.gifts
    .filter(({ state }) => state === 'given')
    .map(({ code, person }) => `${code} by ${person.accountId}`)
    .toSorted()
  if (JSON.stringify(used) === JSON.stringify(given)) return []
  return [`traffic codes were used ${used.join(', ') || 'never'}, and given ${given.join(', ') || 'never'}`]
}

/** Every recorded byte was charged once, or paid by the house where that is allowed. */
async function wrongTraffic({ database, model }: World): Promise<string[]> {
  const { rows } = await sql<{
    access_id: bigint
    charged: bigint
    lost: bigint
    open: bigint
    requests: bigint
  }>`
    select m.access_id, coalesce(sum(l.charged_bytes), 0)::bigint as charged,
      coalesce(sum((select sum(bytes) from write_off w where w.lease_id = l.id)), 0)::bigint as lost,
      count(l.id) filter (where l.closed_at is null) as open,
      coalesce((select sum(requests) from usage_day u where u.access_id = m.access_id), 0)::bigint as requests
    from meter m left join lease l on l.access_id = m.access_id
      and (l.proxy_user_id is null or is_reserved_user(l.proxy_user_id))
    group by m.access_id`.execute(database.db)
  const faults: string[] = []
  for (const row of rows) {
    // What the access and its proxy users with a reserve relayed.
    const ids = [...new Set([...model.journalled.keys(), ...model.sent.keys()])].filter(
      (id) => id === row.access_id || (isReservedUserId(id) && payerOf(id) === row.access_id),
    )
    const sumOf = (of: (id: bigint) => bigint | undefined) =>
      ids.reduce((sum, id) => sum + (of(id) ?? 0n), 0n)
    const relayed = {
      bytes: sumOf((id) => model.journalled.get(id)?.bytes),
      requests: sumOf((id) => model.journalled.get(id)?.requests),
    }
    const access = `access ${row.access_id}`
    if (row.charged + row.lost !== relayed.bytes)
      faults.push(`${access} relayed ${relayed.bytes} B; ${row.charged} B were charged, ${row.lost} B borne`)
    if (row.requests !== relayed.requests)
      faults.push(`${access} made ${relayed.requests} requests; ${row.requests} were counted`)
    if (row.lost > 0n && !model.isLeaseLost)
      faults.push(`the house bore ${row.lost} B of ${access} though no lease was ever given up as lost`)
    if (row.open > 0n) faults.push(`${access} still has ${row.open} leases, and no gateway`)
    const sent = sumOf((id) => model.sent.get(id))
    const forgotten = sumOf((id) => model.forgotten.get(id))
    if (sent - forgotten !== relayed.bytes)
      faults.push(`gateways sent ${sent} B for ${access}, forgot ${forgotten} B and wrote ${relayed.bytes} B`)
  }
  return faults
}

/** Every balance is the credits, less the usage and the traffic taken back. */
async function wrongBalances({ database, model }: World): Promise<string[]> {
  const { rows } = await sql<{ account_id: bigint; pool: string; holds: bigint; should: bigint }>`
    select m.account_id, m.pool,
      (select sum(balance) from ledger_balance a where a.account_id in (
        m.bonus_account, m.paid_account, m.reserved_bonus_account, m.reserved_paid_account))::bigint as holds,
      (coalesce((select sum(credited_bytes - taken_back_bytes) from invoice i
          where i.account_id = m.account_id and i.pool = m.pool), 0)
        + coalesce((select sum(c.bytes) from promo_use u join promocode c on c.id = u.promocode_id
          where u.account_id = m.account_id and c.pool = m.pool), 0)
        - coalesce((select sum(frozen_bytes) from payment_dispute d join invoice i on i.id = d.invoice_id
          where i.account_id = m.account_id and i.pool = m.pool and d.released_at is null), 0)
        - coalesce((select sum(charged_bytes) from lease l where l.access_id = m.access_id
          and (l.proxy_user_id is null or is_reserved_user(l.proxy_user_id))), 0)
        + case when m.pool = 'residential' then ${firstBonusBytes}::bigint else 0 end)::bigint as should
    from meter m`.execute(database.db)
  const known = new Set(model.people.map(({ accountId }) => accountId))
  return rows
    .filter((row) => row.holds !== row.should || !known.has(row.account_id))
    .map((row) => `account ${row.account_id} holds ${row.holds} B of ${row.pool}, not ${row.should} B`)
}

/** Inviters have their share of the money paid and kept, less the sums they spent. */
async function wrongShares({ database, model }: World): Promise<string[]> {
  const { rows } = await sql<{ number: string; earned: bigint; undone: bigint; inviter_id: bigint }>`
    select i.number, e.earned_micros as earned, e.undone_micros as undone, e.inviter_id
    from referral_earning e join invoice i on i.id = e.invoice_id`.execute(database.db)
  const earnings = new Map(rows.map((row) => [row.number, row]))
  const invoices = await database.db.selectFrom('invoice').selectAll().execute()
  const faults: string[] = []
  for (const { number, method, isFromBalance, refund, isReturned, person, paidMicros } of model.orders) {
    const row = invoices.find((one) => one.number === number)
    if (row === undefined || isFromBalance || refund !== 'none' || isReturned) continue
    const due = row.promo_lost_at === null ? row.cost_micros : row.full_cost_micros
    const kept = paidMicros < due ? paidMicros : due
    const inviter = person.invitedBy
    const share = inviter === null ? 0n : (kept * BigInt(inviter.sharePpm) + 500_000n) / 1_000_000n
    const is = (earnings.get(number)?.earned ?? 0n) - (earnings.get(number)?.undone ?? 0n)
    if (is !== share) faults.push(`the inviter earned ${is} by the ${method} order ${number}, not ${share}`)
  }
  for (const person of model.people) {
    const mine = (one: { account_id: bigint; method: string }) =>
      one.account_id === person.accountId && one.method === 'referral'
    const earned = rows
      .filter((one) => one.inviter_id === person.accountId)
      .reduce((sum, one) => sum + one.earned - one.undone, 0n)
    const spent = invoices
      .filter(mine)
      .reduce((sum, one) => sum + one.received_micros - one.refunded_micros, 0n)
    const { rows: held } = await sql<{ balance: bigint; owed: bigint }>`
      select coalesce((select b.balance from ledger_account a join ledger_balance b on b.account_id = a.id
          where a.customer_id = ${person.accountId} and a.kind = 'referral'), 0) as balance,
        coalesce((select owed_micros from referrer where account_id = ${person.accountId}), 0) as owed`.execute(
      database.db,
    )
    const is = (held[0]?.balance ?? 0n) - (held[0]?.owed ?? 0n)
    if (is !== earned - spent)
      faults.push(`person ${person.index} has ${is} of shares, and should have ${earned - spent}`)
  }
  return faults
}

/** Money balances are what was paid in and kept, less what was spent and not refunded. */
async function wrongMoney({ database, model }: World): Promise<string[]> {
  const faults: string[] = []
  for (const { accountId, index } of model.people) {
    const { rows } = await sql<{ kept: bigint }>`
      select coalesce(sum(case when pool = 'balance' then received_micros - refunded_micros
        when method = 'balance' then refunded_micros - received_micros else 0 end), 0)::bigint as kept
      from invoice where account_id = ${accountId}`.execute(database.db)
    const { micros, frozenMicros, owedMicros } = await moneyOf(database.db, accountId)
    const is = micros + frozenMicros - owedMicros
    if (is !== rows[0]?.kept)
      faults.push(`person ${index} has ${is} on the money balance, and should have ${rows[0]?.kept}`)
  }
  return faults
}

/** The use count of a code equals the number of applied discounts, and is within its limit. */
async function wrongPromo({ database }: World): Promise<string[]> {
  const { rows } = await sql<{ code: string; uses: bigint; max_uses: bigint; paid: bigint }>`
    select c.code, c.uses, c.max_uses,
      (select count(*) from invoice i where i.promocode_id = c.id and i.received_micros > 0 and i.promo_lost_at is null) as paid
    from promocode c where c.kind = 'discount'`.execute(database.db)
  return rows
    .filter(({ uses, max_uses: most, paid }) => uses > most || uses !== paid)
    .map(
      ({ code, uses, max_uses: most, paid }) =>
        `${code} says ${uses} uses of ${most}, ${paid} orders used it`,
    )
}

/** Refunds in the books were made by the processor, once. A letter was sent for each payment. */
async function wrongRefunds({ database, processors }: World): Promise<string[]> {
  const { rows } = await sql<{ name: string; state: string; amount_micros: bigint }>`
    select name, state, amount_micros from refund where way = 'processor' and method <> 'sandbox'`.execute(
    database.db,
  )
  const asked = processors.refunds()
  const sent = asked.filter(({ isFailed }) => !isFailed)
  const faults = rows.flatMap(({ name, state, amount_micros: amount }) => {
    const ofThis = sent.filter((one) => one.name === name)
    const isSent = ofThis.length === 1 && ofThis[0]?.amountMicros === amount
    // Refunds at BTCPay wait until the customer claims them.
    const isRight = ['sent', 'done'].includes(state) ? isSent : state === 'failed' && ofThis.length === 0
    if (isRight) return []
    const amounts = ofThis.map((one) => one.amountMicros).join(', ')
    return [`the refund ${name} is ${state} with ${amount}; the processor sent ${amounts || 'nothing'}`]
  })
  const strange = sent.filter((one) => !rows.some(({ name }) => name === one.name))
  const { rows: mail } = await sql<{ letters: bigint; payments: bigint }>`
    select (select count(*) from mail where template = 'payment_received') as letters,
      (select count(*) from payment) as payments`.execute(database.db)
  const [{ letters, payments } = { letters: 0n, payments: 0n }] = mail
  return [
    ...faults,
    ...strange.map(({ name }) => `a refund ${name} was sent that is in no books`),
    ...(letters === payments ? [] : [`${letters} letters went out for ${payments} payments`]),
  ]
}

/** Refunds made at processors, and refunds ordered by the shop, are in the books exactly once. */
async function wrongReturns({ database, processors, model }: World): Promise<string[]> {
  const { rows } = await sql<{
    number: string
    external_id: string
    cost: bigint
    price: bigint
    received: bigint
    refunded: bigint
    own: bigint
    own_usd: bigint
    parts: bigint
    own_ids: string[]
  }>`
    select i.number, i.external_id, i.cost_micros as cost, coalesce(i.price_micros, i.cost_micros) as price,
      i.received_micros as received, i.refunded_micros as refunded,
      coalesce((select sum(amount_micros) from refund r where r.invoice_id = i.id and r.state <> 'failed'), 0)::bigint as own,
      coalesce((select sum(usd_micros) from refund r where r.invoice_id = i.id and r.state <> 'failed'), 0)::bigint as own_usd,
      (select count(*) from refund r where r.invoice_id = i.id) as parts,
      coalesce((select array_agg(refund_id) from processor_refund r where r.invoice_id = i.id and r.state = 'own'), '{}') as own_ids
    from invoice i where i.method in ('card', 'yookassa', 'crypto')`.execute(database.db)
  return model.orders.flatMap(({ number, method }) => {
    const row = rows.find((one) => one.number === number)
    if (row === undefined || !isReturning(method)) return []
    const all = processors.sentBack(method, row.external_id)
    const theirs = all.filter(({ id }) => !row.own_ids.includes(id))
    const inUsd = (micros: bigint) => (row.cost * micros) / row.price
    const own = row.own_usd
    const returned = inUsd(theirs.reduce((sum, { micros }) => sum + micros, 0n))
    const whole = own + returned > row.received ? row.received : own + returned
    const off = row.refunded > whole ? row.refunded - whole : whole - row.refunded
    // Each refund of a part of a price in roubles loses a part of a cent by rounding.
    const most = 10_000n * (BigInt(all.length + 1) + row.parts)
    // The shop's refunds are in whole cents, while coins have more decimals.
    const mostOff = { card: 0n, yookassa: most, crypto: 10_000n * row.parts }
    if (off <= mostOff[method]) return []
    return [`order ${number} (${method}) has ${row.refunded} returned, not ${own} of its own and ${returned}`]
  })
}

/** Each payment that was counted has its fee, posted once. */
async function wrongFees({ database }: World): Promise<string[]> {
  const { rows } = await sql<{ number: string; fee: bigint | null; noted: bigint }>`
    select i.number, i.fee_micros as fee,
      coalesce((select sum(usd_micros) from processor_fee f where f.invoice_id = i.id and f.kind = 'payment'), 0)::bigint as noted
    from invoice i where i.method in ('card', 'yookassa', 'cryptobot') and i.received_micros > 0`.execute(
    database.db,
  )
  const { rows: books } = await sql<{ posted: bigint; noted: bigint }>`
    select coalesce((select sum(e.amount) from ledger_entry e join ledger_account a on a.id = e.account_id
        where a.kind = 'processor_fees'), 0)::bigint as posted,
      coalesce((select sum(usd_micros) from processor_fee), 0)::bigint as noted`.execute(database.db)
  const [{ posted, noted } = { posted: 0n, noted: 0n }] = books
  return [
    ...rows
      .filter((row) => row.fee !== row.noted)
      .map((row) => `invoice ${row.number} has the fee ${row.fee}, and ${row.noted} was noted`),
    ...(posted === noted ? [] : [`${posted} of fees were posted, and ${noted} noted`]),
  ]
}
