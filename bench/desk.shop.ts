/**
 * Inserts in bulk the parts of a full shop that the desk's lists read, such as names and invoices, and starts
 * the desk of that shop.
 */
import { pino } from 'pino'
import { loadSecretKey } from '#lib/secret'
import { PaymentMethods } from '#payments'
import { type Desk, desk } from '#test/desk'
import { Admission } from '#http/admission'
import { Counts } from '../src/main/health/counts.ts'
import { Renewals } from '../src/main/renewal.ts'
import { readSettings } from '../src/main/settings/settings.ts'
import { withoutTriggers } from './scale.rows.ts'
import { closing, type OpenShop } from './scale.shop.ts'

const invoicesAtOnce = 100_000
const exits = 20

type Pool = OpenShop['database']['pool']

/**
 * Names, campaigns and tags of the customers, their invoices over the last `days` days with payments,
 * notifications, letters and the ledger's transactions, the oldest first; the usage of today, and an audit
 * trail. The balances stay those of `fillShop`.
 */
export async function fillDesk(
  { size: { customers }, database: { pool } }: OpenShop,
  { invoices, days }: { invoices: number; days: number },
): Promise<void> {
  await pool.query(
    `update account set email = username || '@example.com', email_key = username || '@example.com',
       email_confirmed_at = case when id % 10 > 0 then now() end,
       created_at = now() - make_interval(secs => $1::float8 * 86400 * (1 - id / $2::float8)),
       seen_at = now() - make_interval(mins => (id % 40000)::int),
       invited_by = case when id % 10 = 3 then 1 + id / 10 end,
       admin_referral_code = case when id % 4 = 0 then 'campaign' || id % 12 end`,
    [days, customers],
  )
  await pool.query(
    `insert into account_tag (account_id, tag) select id, 'tag' || id % 9 from account where id % 20 < 3 order by id`,
  )
  await pool.query(
    `insert into telegram_identity (telegram_user_id, account_id) select 1000000 + id, id from account where id % 3 = 0 order by id`,
  )
  await pool.query(
    `insert into exit (pool, name, kind, host, port, everywhere)
     select 'residential', 'exit' || n, 'http', 'exit' || n || '.example', 8080, true from generate_series(1, $1::int) n`,
    [exits],
  )
  await pool.query(
    `insert into ledger_account (kind, currency) values ('cash:card', 'usd'), ('sales', 'usd') on conflict do nothing`,
  )
  await pool.query(
    `select make_month_partition('ledger_entry', month) from (
       select distinct month_of(now() - make_interval(days => n)) as month from generate_series(0, $1::int) n) m`,
    [days],
  )
  await withoutTriggers({ pool }, ['ledger_entry', 'ledger_usage', 'usage_hour'], async () => {
    for (let made = 0; made < invoices; made += invoicesAtOnce) {
      const last = Math.min(made + invoicesAtOnce, invoices) - 1
      await addInvoices(pool, { first: made, last, customers, invoices, days })
      await addSettlements(pool, made, last)
    }
    await useToday(pool)
  })
  await pool.query(
    `insert into account_spending (account_id, micros)
       select account_id, sum(received_micros - refunded_micros) from invoice where received_micros > 0 group by 1 order by 1
       on conflict (account_id) do update set micros = excluded.micros`,
  )
  await pool.query(
    `insert into audit_entry (at, actor_kind, actor_name, action, subject_kind, subject_id, account_id, after, reason, ip, request_id)
       select now() - make_interval(secs => $2::float8 * 86400 * (1 - n / 100000.0)), 'system', 'system' || n % 7,
         (array['block_customer', 'give_traffic', 'add_note', 'refund_invoice'])[1 + n % 4], 'customer', (1 + n * 7919 % $1::bigint)::text,
         1 + n * 7919 % $1::bigint, jsonb_build_object('n', n), 'reason ' || n, '192.0.2.1', gen_random_uuid()::text
       from generate_series(0, 99999) n`,
    [customers, days],
  )
  await pool.query('vacuum analyze')
}

async function addInvoices(
  pool: Pool,
  {
    first,
    last,
    customers,
    invoices,
    days,
  }: Record<'first' | 'last' | 'customers' | 'invoices' | 'days', number>,
): Promise<void> {
  await pool.query(
    `insert into invoice (number, account_id, pool, method, language, gb, per_gb_micros, volume_discount_ppm, full_cost_micros,
       cost_micros, state, created_at, expires_at, settled_at, received_micros, credited_bytes, disputed_at, external_id)
     select encode(sha256(n::text::bytea), 'hex'), 1 + n * 7919 % $3::bigint, 'residential', 'card', 'en', gb, 3500000, 0, gb * 3500000,
       gb * 3500000, state, at, at + interval '1 hour', case when state in ('paid', 'underpaid') then at + interval '2 minutes' end,
       case when state in ('paid', 'underpaid') then gb * 3500000 - case when state = 'underpaid' then 1000000 else 0 end else 0 end,
       case when state in ('paid', 'underpaid') then gb * 1000000000 else 0 end,
       case when n % 50000 = 7 then at + interval '1 day' end, 'order' || n
     from (
       select n, 1 + n % 40 as gb, now() - make_interval(secs => $4::float8 * 86400 * (1 - n / $5::float8)) as at,
         case when n % 10000 = 3 then 'underpaid' when n % 7 = 2 then 'expired' when n % 31 = 5 then 'cancelled' else 'paid' end as state
       from generate_series($1::bigint, $2::bigint) n) one
     order by n`,
    [first, last, customers, days, invoices],
  )
}

/**
 * What the settlement of each of these invoices writes: a notification, a payment, a transaction of four
 * entries, a letter.
 */
async function addSettlements(pool: Pool, first: number, last: number): Promise<void> {
  const settled = `(
    select i.*, substr(i.external_id, 6)::bigint as n from invoice i
    where i.id > $1::bigint and i.id <= $2::bigint + 1 and i.settled_at is not null
  ) i`
  const ids = [first, last]
  await pool.query(
    `insert into webhook_event (method, dedupe_key, ip, headers, body, body_bytes, received_at, judged_at, verdict, invoice_number)
     select method, external_id, '192.0.2.9', '{"content-type": "application/json", "user-agent": "processor"}',
       convert_to(repeat('{"order": "' || external_id || '"}', 20), 'UTF8'), 500, settled_at, settled_at, 'credited', number
     from ${settled} order by i.id`,
    ids,
  )
  await pool.query(
    `insert into payment (method, external_payment_id, invoice_id, received_micros, received_at)
     select method, external_id, id, received_micros, settled_at from ${settled} order by i.id`,
    ids,
  )
  await pool.query(
    `insert into mail (id, template, language, recipient, created_at, sent_at)
     select gen_random_uuid(), 'payment_received', 'en', 'scale' || account_id || '@example.com', settled_at, settled_at
     from ${settled} order by i.id`,
    ids,
  )
  await pool.query(
    `with posted as (
       insert into ledger_transaction (kind, reference, month, posted_at)
       select 'purchase', method || ':' || external_id, month_of(settled_at), settled_at from ${settled} order by i.id
       returning id, month, reference
     ), house as (
       select max(id) filter (where kind = 'cash:card') as cash, max(id) filter (where kind = 'sales') as sales,
         max(id) filter (where kind = 'traffic_sold') as sold
       from ledger_account where customer_id is null
     )
     insert into ledger_entry (month, transaction_id, account_id, amount)
     select p.month, p.id, e.account_id, e.amount
     from posted p join invoice i on p.reference = i.method || ':' || i.external_id and i.method = 'card'
       join meter m on m.account_id = i.account_id cross join house h
       cross join lateral (values (h.cash, i.received_micros), (h.sales, -i.received_micros), (m.paid_account, i.credited_bytes),
         (h.sold, -i.credited_bytes)) e(account_id, amount)
     where i.id > $1::bigint and i.id <= $2::bigint + 1
     order by p.id`,
    ids,
  )
}

/**
 * Inserts the usage of today's completed hours for the customers active in them, in the ledger too, since
 * reports compare both.
 */
async function useToday(pool: Pool): Promise<void> {
  await pool.query(
    `insert into usage_hour (hour, access_id, exit_id, charged_bytes, relayed_bytes, requests)
     select hour, access_id, 1 + access_id % ${exits}, 25000000, 25000000, 100 from (
       select access_id, date_trunc('day', now(), 'UTC') + make_interval(hours => (access_id % 23)::int + n) as hour
       from generate_series(0, 1) n, meter
     ) one where hour < date_trunc('hour', now()) order by 1, 2`,
  )
  await pool.query(
    `with used as (
       insert into ledger_usage (hour, account_id, bytes)
       select u.hour, m.paid_account, u.charged_bytes from usage_hour u join meter m on m.access_id = u.access_id
       where u.hour >= date_trunc('day', now(), 'UTC') order by 1, 2
       returning hour, account_id, bytes
     )
     insert into ledger_usage_sum (hour, kind, pool, bytes)
     select u.hour, a.kind, a.pool, sum(u.bytes) from used u join ledger_account a on a.id = u.account_id group by 1, 2, 3`,
  )
}

/** Starts the shop's desk on a free port; it closes with the shop. */
export async function openDesk({ database, dataDir }: OpenShop): Promise<Desk> {
  const clock = {
    /** How far this clock is ahead of the database's. The staff's authenticator apps change it. */
    aheadMs: 0,
    get now() {
      return new Date(database.clock.now().getTime() + this.aheadMs)
    },
    set now(value: Date) {
      this.aheadMs = value.getTime() - database.clock.now().getTime()
    },
  }
  const services = {
    settings: readSettings({ DEMO: '0', DATA_DIR: dataDir }, dataDir),
    log: pino({ level: 'silent' }),
    database,
    secrets: loadSecretKey({ secretKey: null, dataDir }),
    methods: new PaymentMethods([]),
    sandboxSecret: Buffer.alloc(32, 7),
    counts: new Counts(),
    admission: new Admission({ now: () => database.clock.now() }),
    renewals: new Renewals(),
  }
  const opened = await desk({ services, database, clock })
  const close = closing(() => opened.close())
  return { ...opened, close }
}
