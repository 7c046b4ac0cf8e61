import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db'
import { createCode } from '#promo'
import { type Origin, startOrigin } from '#test/origin'
import { type SmtpSink, startSmtp } from '#test/smtp'
import { freePort, freePortBases } from '#test/ports'
import { lineOf, until } from '#test/stack'
import { type FakeTelegram, fakeTelegram } from '#test/telegram'
import { press, refusalOf } from '#test/app'
import { promisedMs, sized } from '../size.ts'
import { opens } from '../whole/drip.ts'
import { get, run } from '../whole/visitor.ts'
import {
  type ApiMachine,
  type GatewayMachine,
  type Machine,
  shopEnv,
  startApiMachine,
  startGatewayMachine,
  startWorkerMachine,
} from './machines.ts'
import { kinds, type Postgres, startPostgres } from './postgres.ts'
import { type Buyer, findings, furnish, heldBytes, newBuyer } from './shop.ts'

const everywhereMs = promisedMs(2000)
const gb = 1_000_000_000n

describe.each(kinds.slice(0, sized(1, kinds.length)))(
  'two api, two workers, three gateways on $name',
  (kind) => {
    let postgres: Postgres
    let database: Database
    let origin: Origin
    let sink: SmtpSink
    let telegram: FakeTelegram
    let apis: ApiMachine[]
    let gateways: GatewayMachine[]
    let workers: Machine[]
    let metricsPort: number
    let buyer: Buyer

    beforeAll(async () => {
      ;[postgres, origin, sink, telegram] = await Promise.all([
        startPostgres(kind),
        startOrigin(),
        startSmtp(),
        fakeTelegram(),
      ])
      database = await furnish(postgres.url)
      await watchJobs(database)
      const env = shopEnv(postgres.url, {
        SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
        MAIL_FROM: 'no-reply@shop.example.net',
        TELEGRAM_BOT_TOKEN: telegram.token,
        TELEGRAM_API_ROOT: telegram.apiRoot,
        TELEGRAM_WEBHOOK_SECRET: 'secret-of-the-webhook',
      })
      const bases = await freePortBases(3)
      metricsPort = await freePort()
      ;[apis, workers, gateways] = await Promise.all([
        Promise.all([1, 2].map(() => startApiMachine(env))),
        Promise.all([
          startWorkerMachine({ ...env, METRICS_LISTEN: `127.0.0.1:${metricsPort}` }),
          startWorkerMachine(env),
        ]),
        Promise.all(bases.map((base) => startGatewayMachine(env, base))),
      ])
      buyer = await newBuyer(api(0), database)
    }, 300_000)
    afterAll(async () => {
      await Promise.all([...apis, ...workers, ...gateways].map((machine) => machine.stop()))
      await database.close()
      await Promise.all([postgres.close(), origin.close(), sink.close(), telegram.close()])
    })

    const api = (index: number): ApiMachine => {
      const one = apis[index % apis.length]
      if (one === undefined) throw new Error('no api')
      return one
    }
    const as = (who: Buyer, index = 0) => api(index).client(who.token)
    const order = (who: Buyer, pool: 'residential' | 'mobile', index: number, more = {}) =>
      as(who, index)('create_invoice_web', { payment_method: 'sandbox', amount: 1, pool, ...more })
    const numberOf = (url: string) => url.split('/').at(-1) ?? ''
    const wayTo = async (gateway: GatewayMachine, who: Buyer) => ({
      port: gateway.portBase,
      ...(await lineOf(as(who), 'residential')),
      target: { host: origin.host, port: origin.httpPort },
    })
    const everywhere = async (isSo: (gateway: GatewayMachine) => Promise<boolean>) =>
      (await Promise.all(gateways.map(isSo))).every(Boolean)

    it('a purchase made at one is paid at both concurrently, and credited once', async () => {
      const urls = await Promise.all(
        Array.from({ length: 12 }, (_, index) => order(buyer, 'residential', index)),
      )
      const answers = await Promise.all(
        urls.flatMap((url) => [0, 1, 0, 1].map((index) => press(api(index).origin, numberOf(url), 'paid'))),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
      expect(await heldBytes(database, buyer.accountId, 'residential')).toBe(12n * gb)
    })

    it('fifty calls with one key at both do the work once', async () => {
      const rich = await newBuyer(api(0), database, { sharesMicros: 100_000_000n })
      const calls = Array.from({ length: 50 }, (_, index) =>
        as(rich, index)('referral_payment', { amount: 1, pool: 'mobile' }, { idempotencyKey: 'fifty' }).catch(
          (error: { code: string }) => error.code,
        ),
      )
      const answers = await Promise.all(calls)
      const allowed = answers.filter((answer) => answer !== 'idempotency_key_busy')
      expect(allowed.length).toBeGreaterThan(0)
      for (const answer of allowed) expect(answer).toEqual({ ok: true })
      expect(await heldBytes(database, rich.accountId, 'mobile')).toBe(gb)
    })

    it('the last use of a promo code goes to one customer', async () => {
      const grant = { kind: 'discount' as const, discountPpm: 500_000, minGb: 1n }
      await createCode(database.db, { code: 'LASTUSE', grant, maxUses: 1n, expiresAt: null })
      const people = await Promise.all(
        Array.from({ length: 6 }, (_, index) => newBuyer(api(index), database)),
      )
      const ends = await Promise.all(
        people.map((who, index) =>
          order(who, 'mobile', index, { promocode: 'LASTUSE' }).catch(
            (error: { code: string }) => error.code,
          ),
        ),
      )
      expect(ends.filter((end) => end !== 'promocode_invalid')).toHaveLength(1)
    })

    it('sign-in attempts at both are counted together', async () => {
      const { username } = await newBuyer(api(0), database)
      const statuses: number[] = []
      for (let attempt = 0; attempt < 12; attempt++) {
        const guess = api(attempt).client(null)('signin', { username, password: `wrong ${attempt}` })
        statuses.push((await refusalOf(guess)).status)
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429])
    })

    it('an update that Telegram delivers to both is answered once', async () => {
      const from = { id: 777, is_bot: false, first_name: 'Ada', language_code: 'en' }
      const message = {
        message_id: 1,
        date: Math.floor(Date.now() / 1000),
        chat: { id: 777, type: 'private' },
        from,
      }
      const entities = [{ type: 'bot_command', offset: 0, length: 6 }]
      const body = JSON.stringify({ update_id: 4711, message: { ...message, text: '/start', entities } })
      const headers = {
        'content-type': 'application/json',
        'x-telegram-bot-api-secret-token': 'secret-of-the-webhook',
      }
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          fetch(`${api(index).origin}/api/telegram/webhook`, { method: 'POST', headers, body }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      const sent = telegram.calls.filter(
        ({ method, payload }) => method === 'sendMessage' && payload['chat_id'] === 777,
      )
      expect(sent).toHaveLength(1)
    })

    it('an address is added to and removed from the whitelist on every gateway within two seconds', async () => {
      const way = { ...(await wayTo(gateways[0] as GatewayMachine, buyer)), login: '', password: '' }
      const isIn = ({ portBase }: GatewayMachine) => opens({ ...way, port: portBase })
      expect(await everywhere(isIn)).toBe(false)
      const entry = { ip: '127.0.0.1', pool: 'residential' } as const
      await as(buyer, 0)('add_ip_to_whitelist', entry)
      await until(() => everywhere(isIn), everywhereMs, 'every gateway to let the address in')
      await as(buyer, 1)('remove_ip_from_whitelist', entry)
      await until(
        () => everywhere(async (gateway) => !(await isIn(gateway))),
        everywhereMs,
        'every gateway to keep the address out',
      )
    })

    it('a reset proxy password is refused by every gateway within two seconds', async () => {
      const old = await wayTo(gateways[0] as GatewayMachine, buyer)
      const withOld = ({ portBase }: GatewayMachine) => opens({ ...old, port: portBase })
      expect(await everywhere(withOld)).toBe(true)
      const { password } = await as(buyer, 1)('reset_password', { pool: 'residential' })
      await until(
        () => everywhere(async (gateway) => !(await withOld(gateway))),
        everywhereMs,
        'every gateway to refuse the old password',
      )
      expect(await everywhere(({ portBase }) => opens({ ...old, password, port: portBase }))).toBe(true)
    })

    it('three gateways together relay exactly the traffic bought', async () => {
      const thirsty = await newBuyer(api(0), database)
      await press(api(1).origin, numberOf(await order(thirsty, 'residential', 0)), 'paid')
      const counts = await Promise.all(
        gateways.flatMap((gateway) =>
          [1, 2].map(async () => {
            const way = await wayTo(gateway, thirsty)
            return run('connect', way, get('connect', way, '/bytes/1000000000'))
          }),
        ),
      )
      expect(counts.reduce((sum, { sent, received }) => sum + sent + received, 0)).toBe(Number(gb))
      const isSpent = async () => (await heldBytes(database, thirsty.accountId, 'residential')) === 0n
      await until(isSpent, 60_000, 'the last report to be settled')
    }, 120_000)

    it('a worker, which has no web server, serves its metrics at the configured address', async () => {
      const page = `http://127.0.0.1:${metricsPort}`
      expect(await (await fetch(`${page}/healthz`)).text()).toBe('ok\n')
      expect(await (await fetch(`${page}/metrics`)).text()).toContain('\nprocess_cpu_seconds_total ')
    })

    it('each letter is sent once', async () => {
      const people = await Promise.all(
        Array.from({ length: 10 }, (_, index) => newBuyer(api(index), database)),
      )
      for (const { username } of people) await sink.letterTo(`${username}@example.com`)
      for (const { username } of people)
        expect(sink.received.filter(({ to }) => to.includes(`${username}@example.com`))).toHaveLength(1)
    }, 60_000)

    it('each scheduled job is queued once per minute, by any number of workers', async () => {
      const put = async () => {
        const { rows } = await database.pool.query<{ task: string; minute: string; times: bigint }>(
          `select task, date_trunc('minute', run_at)::text as minute, count(*) as times from job_put
          where task in ('expire_invoices', 'expire_leases', 'release_jobs') group by 1, 2`,
        )
        return rows
      }
      await until(async () => (await put()).length >= 3, 90_000, 'a minute to pass')
      expect((await put()).filter(({ times }) => times !== 1n)).toEqual([])
    }, 120_000)

    it('in the end the books are consistent', async () => {
      expect(await findings(database)).toEqual([])
    })
  },
)

/** Records every queued job, since completed jobs are deleted. */
async function watchJobs({ pool }: Database): Promise<void> {
  await pool.query(`
    create table job_put (task text, run_at timestamptz);
    create function note_job() returns trigger language plpgsql as $$
    begin
      insert into job_put
        select identifier, new.run_at from graphile_worker._private_tasks where id = new.task_id;
      return new;
    end $$;
    create trigger note_job after insert on graphile_worker._private_jobs
      for each row execute function note_job();`)
}
