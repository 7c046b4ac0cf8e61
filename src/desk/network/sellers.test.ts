import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DeskInput } from '#contract/desk/contract'
import { addCost, decimalGb } from '#exits'
import { readDueSellers, readSellerAccount } from '#sellers'
import { systemAuthor } from '#staff'
import { app, type App, refusalOf } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { FakeSeller, sellerCases } from '#test/sellers/fakes'
import { holdAudit, oneWaitsForLock, someWaitForLock } from '#test/waiting.statement'
import { sellerDeps } from '../desk.ts'

const gb = 1_000_000_000n
const dayMs = 86_400_000
const minuteMs = 60_000
const secret = 'the-secret-of-tests'

const answersOf = (name: string) => {
  const found = sellerCases.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no fake of ${name}`)
  return found.answers
}
const nothing = () => ({ today: '', leftBytes: 0n, usage: new Map<string, bigint>(), countries: {} })
const webshare = new FakeSeller(answersOf('webshare'), nothing())
const geonode = new FakeSeller(answersOf('geonode'), nothing())
const infatica = new FakeSeller(answersOf('infatica'), nothing())
const evomi = new FakeSeller(answersOf('evomi'), nothing())
const iproyal = new FakeSeller(answersOf('iproyal'), nothing())
const fakes = [webshare, geonode, infatica, iproyal, evomi]

let shop: App
let office: Desk
let owner: StaffMember
let exit: string

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await shop.database.pool.query<Row>(text, values)).rows
const today = () => shop.clock.now.toISOString().slice(0, 10)
const dayBefore = (days: number) =>
  new Date(shop.clock.now.getTime() - days * dayMs).toISOString().slice(0, 10)

beforeAll(async () => {
  await Promise.all(fakes.map((fake) => fake.start()))
  const named = { webshare, geonode, infatica, iproyal, evomi }
  const bases = Object.entries(named)
    .map(([name, fake]) => `${name}=${fake.url.origin}`)
    .join(',')
  shop = await app({ env: { DEMO: '0', SELLER_API_BASES: bases } })
  // Far from midnight: days of usage are those of this clock.
  shop.clock.now = new Date(Math.ceil(Date.now() / dayMs) * dayMs + dayMs / 2)
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
  for (const fake of fakes) fake.stop()
})

let made = 0
beforeEach(async () => {
  const [row] = await query<{ id: bigint }>(
    `insert into exit (pool, name, kind, everywhere) values ('residential', $1, 'direct', true) returning id`,
    [`exit ${++made}`],
  )
  exit = String(row?.id)
  for (const fake of fakes) {
    fake.before = null
    fake.calm()
    fake.requests.length = 0
    fake.account = {
      today: today(),
      leftBytes: 100n * gb,
      usage: new Map([[dayBefore(1), 50n * gb]]),
      countries: { US: 100, DE: 60, FR: 40, GB: 20 },
    }
  }
})
afterEach(async () => {
  for (const { id } of await owner.call('seller_accounts', {}))
    await owner.call('remove_seller_account', { id, reason: 'the test is over' })
  await query(`delete from exit`)
  await query(`delete from usage_sum`)
})

const add = async (own: Partial<DeskInput<'add_seller_account'>> = {}) => {
  await office.stepUp(owner)
  const given = {
    seller: 'webshare',
    label: `account ${++made}`,
    counts: 'both' as const,
    credentials: { token: secret },
    exits: [exit],
  } satisfies DeskInput<'add_seller_account'>
  return (await owner.call('add_seller_account', { ...given, ...own })).id
}
const accountOf = async (id: string) => {
  const found = (await owner.call('seller_accounts', {})).find((each) => each.id === id)
  if (found === undefined) throw new Error(`no account ${id}`)
  return found
}
/** The name of the list that awaits a decision. */
const askedOf = async (id: string) => (await accountOf(id)).asked?.list ?? ''
const check = (id: string) => owner.call('check_seller_account', { id })
/** Reads the account as the worker does, at a time after the desk's own. */
const read = (id: string, afterMs: number) => {
  const bases = shop.services.settings.sellerBases
  const by = { secrets: shop.services.secrets, author: systemAuthor(), bases }
  const at = new Date(shop.clock.now.getTime() + afterMs)
  return readSellerAccount(shop.database, sellerDeps(shop.database, by), BigInt(id), at)
}
const needs = async () => (await owner.call('today', {})).needs_you
const need = async (kind: string) => (await needs()).find((each) => each.kind === kind)
/** Records traffic that gateways relayed through the exit on a day. */
const relayed = async (day: string, bytes: bigint, hour = 12) =>
  void (await query(
    `insert into usage_sum (hour, pool, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests)
     values (($1 || ' ' || $4 || ':00+00')::timestamptz, 'residential', $2, $3, 0, $3, 1)`,
    [day, exit, String(bytes), hour],
  ))

describe('an account at a seller', () => {
  it('is added and recorded; its credentials are sealed and never shown', async () => {
    const id = await add({ label: 'main', reason: 'a new contract' })
    const [row] = await query<{ credentials_sealed: Buffer }>('select credentials_sealed from seller_account')
    expect(row?.credentials_sealed.includes(secret)).toBe(false)
    expect(JSON.stringify(await owner.call('seller_accounts', {}))).not.toContain(secret)
    const { rows } = await owner.call('audit', { action: 'add_seller_account' })
    expect(rows[0]).toMatchObject({
      subject_id: id,
      reason: 'a new contract',
      after: { seller: 'webshare', label: 'main', exits: [exit] },
    })
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('is refused with another seller, a field missing or unknown, a name taken, an exit that is not there', async () => {
    await add({ label: 'taken' })
    const refusal = async (own: Partial<DeskInput<'add_seller_account'>>) => (await refusalOf(add(own))).code
    expect(await refusal({ seller: 'nobody' })).toBe('invalid_seller')
    expect(await refusal({ credentials: {} })).toBe('seller_credentials')
    expect(await refusal({ credentials: { token: secret, other: 'x' } })).toBe('seller_credentials')
    expect(await refusal({ label: 'taken' })).toBe('seller_label_taken')
    expect(await refusal({ exits: ['999999'] })).toBe('exit_not_found')
    expect(await owner.call('seller_accounts', {})).toHaveLength(1)
  })

  it('takes assigned exits away from other accounts', async () => {
    const first = await add()
    const second = await add()
    expect((await accountOf(first)).exits).toEqual([])
    expect((await accountOf(second)).exits).toEqual([
      { id: exit, name: expect.any(String) as string, pool: 'residential' },
    ])
  })

  it('is read when it is checked: remaining traffic, usage, places and the raw answers', async () => {
    const id = await add()
    const { parts } = await check(id)
    expect(parts).toEqual(['balance', 'places', 'usage'].map((part) => ({ part, fault: null })))
    expect(await accountOf(id)).toMatchObject({
      left_bytes: String(100n * gb),
      days_left: null,
      is_low: false,
      places: { rows: '4', addresses: '220' },
      asked: null,
    })
    const answers = await owner.call('seller_answers', { id })
    expect(answers.map(({ part, day }) => [part, day])).toEqual(
      ['balance', 'places', 'usage'].map((part) => [part, today()]),
    )
    expect(answers.find(({ part }) => part === 'balance')?.body).toContain('"bandwidth_limit":150')
    expect(JSON.stringify(answers)).not.toContain(secret)
    expect(JSON.stringify(answers)).not.toContain('of-the-proxies')
    const sources = await owner.call('place_sources', {})
    expect(sources.find(({ name }) => name === `seller_${id}`)).toMatchObject({
      addresses: '220',
      countries: 4,
    })
  })

  it('shows nothing that its seller does not offer', async () => {
    const id = await add({ seller: 'geonode', credentials: { api_key: secret, user_id: '77' } })
    expect((await check(id)).parts).toEqual([{ part: 'balance', fault: null }])
    expect((await accountOf(id)).readings.map(({ part }) => part)).toEqual(['balance'])
    const known = await owner.call('sellers', {})
    expect(known.find(({ name }) => name === 'geonode')?.offers).toEqual(['balance'])
  })

  it('is read by the worker when it is due, and by one process at a time', async () => {
    const id = await add()
    await check(id)
    webshare.requests.length = 0
    expect(await read(id, 4 * minuteMs)).toEqual([])
    expect(webshare.requests).toEqual([])
    expect(await read(id, 5 * minuteMs)).toMatchObject([{ part: 'balance', fault: null }])
    const until = new Date(shop.clock.now.getTime() + 60 * minuteMs)
    await query('update seller_account set claimed_until = $2 where id = $1', [id, until])
    expect(await read(id, 10 * minuteMs)).toBe('busy')
    expect((await refusalOf(check(id))).code).toBe('seller_account_busy')
  })

  it('keeps the last values when a reading fails, and reports lasting failures', async () => {
    const id = await add({ seller: 'geonode', credentials: { api_key: secret, user_id: '77' } })
    await check(id)
    geonode.trouble(503)
    await check(id)
    const { left_bytes: left, readings } = await accountOf(id)
    expect(left).toBe(String(100n * gb))
    expect(readings[0]).toMatchObject({ failures: 1, fault: { kind: 'unreachable' } })
    expect(await need('seller_fault')).toBeUndefined()
    await query(`update seller_reading set read_at = read_at - interval '3 hours'`)
    expect(await need('seller_fault')).toMatchObject({ count: 1, href: '/exits?tab=accounts' })
  })

  /** Reads all due accounts as the worker does, some time from now; returns the accounts with faults. */
  const readDue = async (afterMs: number) => {
    const bases = shop.services.settings.sellerBases
    const by = { secrets: shop.services.secrets, author: systemAuthor(), bases }
    const now = async () => new Date(shop.clock.now.getTime() + afterMs)
    const faulty: string[] = []
    const report = ({ id }: { id: bigint }) => void faulty.push(String(id))
    await readDueSellers(shop.database, sellerDeps(shop.database, by), { now, forMs: 60_000, report })
    return faulty
  }

  it.each([-1, 1e15])('that used %d MB is faulty, and the accounts after it are read', async (mb) => {
    const first = await add({ seller: 'evomi', credentials: { api_key: secret } })
    const second = await add({
      seller: 'geonode',
      credentials: { api_key: secret, user_id: '77' },
      exits: [],
    })
    evomi.account.usage = new Map([[today(), BigInt(mb) * 1_000_000n]])
    expect(await readDue(0)).toEqual([first])
    expect((await accountOf(first)).readings.find(({ part }) => part === 'usage')).toMatchObject({
      failures: 1,
      fault: { kind: 'malformed' },
    })
    expect((await accountOf(second)).left_bytes).toBe(String(100n * gb))
    expect(await need('seller_fault')).toMatchObject({ count: 1 })
    evomi.account.usage = new Map()
    expect(await readDue(5 * minuteMs)).toEqual([])
    expect(await need('seller_fault')).toBeUndefined()
  })

  it('that reports a balance no table can hold is faulty', async () => {
    const id = await add({ seller: 'iproyal', credentials: { token: secret } })
    iproyal.account.leftBytes = 10n ** 21n
    await check(id)
    expect((await accountOf(id)).readings.find(({ part }) => part === 'balance')).toMatchObject({
      fault: { kind: 'malformed' },
    })
  })

  it('whose answer meets an unexpected error is faulty, and the accounts after it are read', async () => {
    const first = await add()
    const second = await add({ seller: 'geonode', credentials: { api_key: secret, user_id: '77' } })
    // Stands for any rule of the tables that an answer may break.
    await query(`alter table seller_usage add constraint of_test check (bytes < 0) not valid`)
    try {
      expect(await readDue(0)).toEqual([first])
      expect((await refusalOf(check(first))).code).toBe('internal_error')
    } finally {
      await query('alter table seller_usage drop constraint of_test')
    }
    expect((await accountOf(second)).left_bytes).toBe(String(100n * gb))
    expect((await accountOf(first)).readings.find(({ part }) => part === 'usage')).toMatchObject({
      fault: { kind: 'malformed' },
    })
    expect(await need('seller_fault')).toMatchObject({ count: 1 })
  })

  it('that has been due for more than two hours is reported', async () => {
    const id = await add()
    await check(id)
    expect(await need('seller_fault')).toBeUndefined()
    await query(`update seller_reading set due_at = $1 where part = 'usage'`, [
      new Date(shop.clock.now.getTime() - 121 * minuteMs),
    ])
    expect(await need('seller_fault')).toMatchObject({ count: 1 })
  })

  it('with refused credentials is read ever less often, then not until staff check it', async () => {
    const id = await add()
    webshare.before = () => ({ status: 401, body: { detail: 'Invalid token.' } })
    let at = 0
    const waits: (number | null)[] = []
    for (let nth = 1; nth <= 6; nth++) {
      const asked = webshare.requests.length
      expect(await read(id, at - 1)).toEqual([])
      await read(id, at)
      // One request: the parts after the refused one are not requested.
      expect(webshare.requests.length - asked).toBe(1)
      const [row] = await query<{ due: Date | null }>(
        'select min(due_at) as due from seller_reading where account_id = $1',
        [id],
      )
      const due = row?.due?.getTime() ?? null
      waits.push(due === null ? null : (due - shop.clock.now.getTime() - at) / minuteMs)
      at = due === null ? at : due - shop.clock.now.getTime()
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, null])
    expect(await read(id, 365 * dayMs)).toEqual([])
    expect(await need('seller_fault')).toMatchObject({ count: 1 })
    webshare.before = null
    expect((await check(id)).parts.every(({ fault }) => fault === null)).toBe(true)
    expect(await need('seller_fault')).toBeUndefined()
  })
})

describe('the places of an account', () => {
  it('are kept when the list fails or shrinks to half, and need a decision of staff', async () => {
    const id = await add()
    await check(id)
    webshare.account.countries = { US: 100, DE: 60 }
    await check(id)
    expect(await accountOf(id)).toMatchObject({
      places: { rows: '4' },
      asked: { rows: '2', addresses: '160' },
    })
    expect(await need('seller_places')).toMatchObject({ count: 1 })
    // One place more than half: the list is accepted, and nothing has to be decided.
    webshare.account.countries = { US: 100, DE: 60, FR: 1 }
    await check(id)
    expect(await accountOf(id)).toMatchObject({ places: { rows: '3', addresses: '161' }, asked: null })
    webshare.account.countries = {}
    expect((await check(id)).parts).toContainEqual({ part: 'places', fault: 'the list of places is empty' })
    expect(await accountOf(id)).toMatchObject({ places: { rows: '3' }, asked: null })
  })

  it('need a decision of staff when half of their addresses are gone', async () => {
    const id = await add()
    await check(id)
    webshare.account.countries = { US: 50, DE: 30, FR: 20, GB: 10 }
    await check(id)
    expect(await accountOf(id)).toMatchObject({ places: { addresses: '220' }, asked: { addresses: '110' } })
    webshare.account.countries = { US: 51, DE: 30, FR: 20, GB: 10 }
    await check(id)
    expect(await accountOf(id)).toMatchObject({ places: { addresses: '111' }, asked: null })
  })

  it('are replaced when staff accept the list; a rejected list needs no second decision', async () => {
    const id = await add()
    await check(id)
    webshare.account.countries = { US: 100 }
    await check(id)
    await owner.call('decide_seller_places', { id, list: await askedOf(id), decision: 'keep' })
    await check(id)
    expect(await accountOf(id)).toMatchObject({ places: { rows: '4' }, asked: null })
    webshare.account.countries = { US: 99 }
    await check(id)
    const list = await askedOf(id)
    await owner.call('decide_seller_places', { id, list, decision: 'accept', reason: 'they said so' })
    expect(await accountOf(id)).toMatchObject({ places: { rows: '1', addresses: '99' }, asked: null })
    const { rows } = await owner.call('audit', { action: 'decide_seller_places' })
    expect(rows[0]).toMatchObject({ subject_id: id, reason: 'they said so', after: { decision: 'accept' } })
    const again = owner.call('decide_seller_places', { id, list, decision: 'accept' })
    expect((await refusalOf(again)).code).toBe('seller_places_not_asked')
  })

  it.each(['accept', 'keep'] as const)(
    'are not replaced by a list that staff have not seen (%s)',
    async (decision) => {
      const id = await add()
      await check(id)
      webshare.account.countries = { US: 100 }
      await check(id)
      const seen = await askedOf(id)
      webshare.account.countries = { US: 1 }
      await check(id)
      const late = owner.call('decide_seller_places', { id, list: seen, decision })
      expect((await refusalOf(late)).code).toBe('seller_places_changed')
      expect(await accountOf(id)).toMatchObject({ places: { rows: '4' }, asked: { addresses: '1' } })
      await owner.call('decide_seller_places', { id, list: await askedOf(id), decision })
      expect(await accountOf(id)).toMatchObject({ asked: null })
    },
  )
})

describe('an account that staff change while it is read', () => {
  /** Reads all due parts, and runs `change` before the seller answers the first request. */
  const readDuring = async (fake: FakeSeller, id: string, change: () => Promise<unknown>) => {
    const held = fake.hold()
    const reading = read(id, 0)
    const release = await held
    await change()
    release()
    return reading
  }
  /** Leaves only this part of the account due. */
  const onlyDue = (id: string, part: string) =>
    query('update seller_reading set due_at = null where account_id = $1 and part <> $2', [id, part])

  it('keeps nothing of a reading with its earlier credentials, and can be read at once', async () => {
    const id = await add()
    await office.stepUp(owner)
    const credentials = { token: secret }
    const change = () => owner.call('set_seller_account', { id, credentials })
    expect(await readDuring(webshare, id, change)).toBe('outdated')
    expect(await query('select from seller_answer')).toEqual([])
    expect(await accountOf(id)).toMatchObject({ left_bytes: null, places: null })
    expect((await check(id)).parts.every(({ fault }) => fault === null)).toBe(true)
  })

  it('keeps no refusal of its earlier credentials', async () => {
    const id = await add()
    await office.stepUp(owner)
    webshare.before = () => ({ status: 401, body: { detail: 'Invalid token.' } })
    const change = () => owner.call('set_seller_account', { id, credentials: { token: secret } })
    expect(await readDuring(webshare, id, change)).toBe('outdated')
    expect((await accountOf(id)).readings.map(({ failures, fault }) => [failures, fault])).toEqual(
      Array.from({ length: 3 }, () => [0, null]),
    )
  })

  it('is checked with its new credentials, and another reading is not released', async () => {
    const id = await add()
    await office.stepUp(owner)
    const held = webshare.hold()
    const checked = check(id)
    const release = await held
    await owner.call('set_seller_account', { id, credentials: { token: secret } })
    // Another process has begun to read it since.
    const until = new Date(shop.clock.now.getTime() + minuteMs)
    await query('update seller_account set claimed_until = $2 where id = $1', [id, until])
    release()
    expect((await refusalOf(checked)).code).toBe('seller_account_busy')
    expect(await query('select claimed_until from seller_account')).toEqual([{ claimed_until: until }])
  })

  it('by balance begins anew with other exits, also the account that loses one', async () => {
    const id = await add({ seller: 'iproyal', credentials: { token: secret } })
    const change = () => owner.call('set_seller_account', { id, exits: [exit] })
    expect(await readDuring(iproyal, id, change)).toBe('outdated')
    await read(id, 0)
    expect(await query('select meter_bytes from seller_account')).toEqual([
      { meter_bytes: expect.any(BigInt) as bigint },
    ])
    await add()
    expect(await query('select meter_bytes from seller_account where id = $1', [id])).toEqual([
      { meter_bytes: null },
    ])
  })

  it('is removed, and the reading stores nothing', async () => {
    const id = await add()
    const change = () => owner.call('remove_seller_account', { id, reason: 'a test' })
    expect(await readDuring(webshare, id, change)).toBe('outdated')
    expect(await owner.call('place_sources', {})).toEqual([])
  })

  it('is removed with places that are imported at the same time', async () => {
    const id = await add()
    await onlyDue(id, 'places')
    const letEntriesIn = await holdAudit(shop.database)
    const reading = read(id, 0)
    await oneWaitsForLock(shop.database.db)
    const removal = owner.call('remove_seller_account', { id, reason: 'a test' })
    await someWaitForLock(shop.database.db, 2)
    await letEntriesIn()
    await Promise.all([reading, removal])
    expect(await owner.call('place_sources', {})).toEqual([])
  })

  it('does not get a former list of places back after it was removed', async () => {
    const id = await add()
    await check(id)
    const [source] = await owner.call('place_sources', {})
    await owner.call('remove_seller_account', { id, reason: 'a test' })
    const back = owner.call('restore_places', { file_id: source?.files[0]?.id ?? '', reason: 'a test' })
    expect((await refusalOf(back)).code).toBe('seller_account_not_found')
    expect(await owner.call('place_sources', {})).toEqual([])
  })

  it('is recorded before each of two concurrent changes as the other one left it', async () => {
    const id = await add()
    const letEntriesIn = await holdAudit(shop.database)
    const first = owner.call('set_seller_account', { id, counts: 'down' })
    await oneWaitsForLock(shop.database.db)
    const second = owner.call('set_seller_account', { id, counts: 'up' })
    await someWaitForLock(shop.database.db, 2)
    await letEntriesIn()
    await Promise.all([first, second])
    const { rows } = await owner.call('audit', { action: 'set_seller_account', subject_id: id })
    expect(rows).toMatchObject([
      { before: { counts: 'down' }, after: { counts: 'up' } },
      { before: { counts: 'both' }, after: { counts: 'down' } },
    ])
  })

  it('has a new list of places that awaits a decision while staff accept the one before', async () => {
    const id = await add()
    await check(id)
    webshare.account.countries = { US: 99 }
    await check(id)
    const letEntriesIn = await holdAudit(shop.database)
    const accepted = refusalOf(
      owner.call('decide_seller_places', { id, list: await askedOf(id), decision: 'accept' }),
    )
    await oneWaitsForLock(shop.database.db)
    webshare.account.countries = { US: 10 }
    await read(id, dayMs)
    await letEntriesIn()
    expect((await accepted).code).toBe('seller_places_changed')
    expect(await accountOf(id)).toMatchObject({ places: { rows: '4' }, asked: { addresses: '10' } })
    const [source] = await owner.call('place_sources', {})
    expect(source?.addresses).toBe('220')
    const { rows } = await owner.call('audit', { action: 'decide_seller_places', subject_id: id })
    expect(rows).toEqual([])
  })
})

describe('the bill of an account', () => {
  it('differs when it is more than exactly 2 % off the shop’s records, on completed days only', async () => {
    const id = await add()
    const told = async (theirs: bigint) => {
      webshare.account.usage = new Map([
        [dayBefore(1), theirs],
        [today(), 7n * gb],
      ])
      await check(id)
      return (await owner.call('seller_bill', { id })).rows
    }
    await relayed(dayBefore(1), 50n * gb)
    const border = await told(51n * gb)
    expect(border.map(({ day, differs }) => [day, differs])).toEqual([
      [today(), false],
      [dayBefore(1), false],
    ])
    expect(border[1]).toMatchObject({
      their_bytes: String(51n * gb),
      our_bytes: String(50n * gb),
      difference_bytes: String(gb),
    })
    expect(await need('seller_bill')).toBeUndefined()
    expect((await told(51n * gb + 1n))[1]?.differs).toBe(true)
    expect((await told(49n * gb))[1]?.differs).toBe(false)
    expect((await told(49n * gb - 1n))[1]?.differs).toBe(true)
    expect(await need('seller_bill')).toMatchObject({ count: 1, href: '/exits?tab=accounts' })
  })

  /** Moves the account's entry three days into the past, without a reading since. */
  const older = async (id: string) => {
    await query(`update seller_account set created_at = created_at - interval '3 days' where id = $1`, [id])
    await query(`update seller_reading set due_at = due_at - interval '3 days' where account_id = $1`, [id])
  }

  it('does not compare days that the seller reported only before their end', async () => {
    const id = await add({ seller: 'infatica', credentials: { api_key: secret } })
    await older(id)
    infatica.account.usage = new Map([[dayBefore(2), 20n * gb]])
    infatica.account.today = dayBefore(2)
    await read(id, -2 * dayMs)
    for (const days of [1, 2, 4]) await relayed(dayBefore(days), 50n * gb)
    infatica.account.today = today()
    await check(id)
    // The seller is not compared for the day before the account was entered.
    expect((await owner.call('seller_bill', { id })).rows).toMatchObject([
      {
        day: dayBefore(1),
        their_bytes: '0',
        by_balance: true,
        unclear: 'missed',
        complete: false,
        differs: false,
      },
      {
        day: dayBefore(2),
        their_bytes: String(20n * gb),
        by_balance: false,
        complete: false,
        differs: false,
      },
    ])
    expect(await need('seller_bill')).toBeUndefined()
  })

  /**
   * Reads the account every 15 minutes, from 10 minutes before yesterday until yesterday is over; `change`
   * runs before each reading.
   */
  const readYesterday = async (
    id: string,
    change: (minute: number) => void,
    skips = (_minute: number) => false,
  ) => {
    await older(id)
    const start = Date.parse(dayBefore(1))
    for (let minute = -10; minute <= 24 * 60 + 5; minute += 15) {
      change(minute)
      if (!skips(minute)) await read(id, start + minute * minuteMs - shop.clock.now.getTime())
    }
  }
  const yesterdays = async (id: string) =>
    (await owner.call('seller_bill', { id })).rows.find(({ day }) => day === dayBefore(1))

  it('is computed from the balance when the seller does not report days, and is compared alike', async () => {
    const id = await add({ seller: 'geonode', credentials: { api_key: secret, user_id: '77' } })
    await relayed(dayBefore(1), 96n * gb)
    let used = 0n
    await readYesterday(id, () => {
      used += gb
      // A refill of the limit does not affect a counter of usage.
      geonode.account.leftBytes = 500n * gb
      geonode.account.usage = new Map([[dayBefore(1), used]])
    })
    expect(await yesterdays(id)).toMatchObject({
      their_bytes: String(96n * gb),
      by_balance: true,
      unclear: null,
      complete: true,
      differs: false,
    })
    expect(await need('seller_bill')).toBeUndefined()
    await relayed(dayBefore(1), 3n * gb, 13)
    expect(await yesterdays(id)).toMatchObject({ differs: true })
    expect(await need('seller_bill')).toMatchObject({ count: 1 })
  })

  it.each([
    ['a refill', 'refilled', () => false],
    ['readings that are missing', 'missed', (minute: number) => minute === 605],
  ] as const)('does not compare a day by balance with %s', async (_what, unclear, skips) => {
    const id = await add({ seller: 'iproyal', credentials: { token: secret } })
    await relayed(dayBefore(1), 500n * gb)
    iproyal.account.leftBytes = 900n * gb
    await readYesterday(
      id,
      (minute) => {
        iproyal.account.leftBytes += unclear === 'refilled' && minute === 725 ? 400n * gb : -gb
      },
      skips,
    )
    expect(await yesterdays(id)).toMatchObject({ by_balance: true, unclear, complete: false, differs: false })
    expect(await need('seller_bill')).toBeUndefined()
  })

  it.each([
    ['credentials, which may be those of another account', () => ({ credentials: { token: secret } })],
    ['exits, whose products may be others', () => ({ exits: [exit] })],
  ])('by balance begins anew with other %s', async (_what, change) => {
    const id = await add({ seller: 'iproyal', credentials: { token: secret } })
    await older(id)
    await read(id, -20 * minuteMs)
    await office.stepUp(owner)
    await owner.call('set_seller_account', { id, ...change() })
    iproyal.account.leftBytes = 10n * gb
    await check(id)
    expect(await query('select * from seller_meter_day')).toEqual([])
  })

  it('detects a day that the seller omits although gateways relayed on it, and keeps what the seller reported before', async () => {
    const id = await add()
    await older(id)
    for (const days of [1, 2]) await relayed(dayBefore(days), 5n * gb)
    webshare.account.usage = new Map([[dayBefore(1), 5n * gb]])
    await check(id)
    expect((await owner.call('seller_bill', { id })).rows).toMatchObject([
      { day: dayBefore(1), their_bytes: String(5n * gb), complete: true, differs: false },
      { day: dayBefore(2), their_bytes: '0', complete: true, differs: true },
    ])
    expect(await need('seller_bill')).toMatchObject({ count: 1 })
    webshare.account.usage = new Map([[dayBefore(2), 5n * gb]])
    await check(id)
    const { rows } = await owner.call('seller_bill', { id })
    expect(rows.map(({ their_bytes: theirs }) => theirs)).toEqual([String(5n * gb), String(5n * gb)])
  })

  it('is compared with one direction alone when the seller counts only that', async () => {
    const id = await add({ counts: 'up' })
    webshare.account.usage = new Map([[dayBefore(1), 10n * gb]])
    await check(id)
    await relayed(dayBefore(1), 150n * gb)
    await query(
      `insert into connection_hour
         (hour, pool, exit_id, country, code, connections, refused, up_bytes, down_bytes, charged_bytes)
       values (($1 || ' 12:00+00')::timestamptz, 'residential', $2, 'DE', 'ok', 1, 0, $3, $4, 0)`,
      [dayBefore(1), exit, String(10n * gb), String(140n * gb)],
    )
    const billed = async () => (await owner.call('seller_bill', { id })).rows[0]
    expect(await billed()).toMatchObject({ our_bytes: String(10n * gb), differs: false })
    await owner.call('set_seller_account', { id, counts: 'down', exits: [exit] })
    expect(await billed()).toMatchObject({ our_bytes: String(140n * gb), differs: true })
    await owner.call('set_seller_account', { id, counts: 'both', exits: [exit] })
    expect(await billed()).toMatchObject({ our_bytes: String(150n * gb), differs: true })
    await query('delete from connection_hour')
  })

  it('is a file as other lists are, and refuses an account that is not there', async () => {
    const id = await add()
    await check(id)
    const file = await owner.browser.fetch(`/api/seller_bill.csv?id=${id}`)
    expect(await file.text()).toContain(`${dayBefore(1)},${50n * gb},0,${50n * gb},`)
    expect((await refusalOf(owner.call('seller_bill', { id: '999999' }))).code).toBe(
      'seller_account_not_found',
    )
  })
})

describe('the stock at an account', () => {
  it('is low when it lasts less than three days at the rate of the last 24 hours, and not when nothing is used', async () => {
    const id = await add({ seller: 'geonode', credentials: { api_key: secret, user_id: '77' } })
    await check(id)
    expect(await accountOf(id)).toMatchObject({ days_left: null, is_low: false })
    const hour = new Date(shop.clock.now.getTime() - 3 * 3_600_000)
    await relayed(hour.toISOString().slice(0, 10), 34n * gb, hour.getUTCHours())
    expect(await accountOf(id)).toMatchObject({ days_left: 2.941, is_low: true })
    expect(await need('stock_low')).toMatchObject({ count: 1, href: '/exits?tab=accounts' })
    // The hand-entered stock of an exit that belongs to an account does not count.
    await owner.call('set_exit_stock', { id: exit, left_bytes: String(900n * gb) })
    expect(await owner.call('exit_stocks', {})).toMatchObject([
      { id: exit, left_bytes: String(100n * gb), is_low: true },
    ])
    geonode.account.leftBytes = 102n * gb
    await check(id)
    expect(await accountOf(id)).toMatchObject({ days_left: 3, is_low: false })
    geonode.account.leftBytes = 0n
    await query('delete from usage_sum')
    await check(id)
    expect(await accountOf(id)).toMatchObject({ days_left: 0, is_low: true })
  })

  it('is short when customers hold more than is left in the pools of its exits', async () => {
    const customer = await shop.customer()
    await shop.buy(customer, { pool: 'residential', gb: 10 })
    const id = await add({ seller: 'geonode', credentials: { api_key: secret, user_id: '77' } })
    geonode.account.leftBytes = 10n * gb
    await check(id)
    expect((await accountOf(id)).short).toEqual([])
    geonode.account.leftBytes = 10n * gb - 1n
    await check(id)
    expect((await accountOf(id)).short).toEqual([
      { pool: 'residential', held_bytes: String(10n * gb), left_bytes: String(10n * gb - 1n) },
    ])
    expect(await need('stock_short')).toMatchObject({ count: 1 })
  })
})

describe('a sale below the cost of the dearest exit', () => {
  const cost = (perGbMicros: bigint) =>
    addCost(
      shop.database.db,
      BigInt(exit),
      { fromDay: '2026-01-01', perGbMicros, monthMicros: 0n, gbBytes: decimalGb, rounding: 'none' },
      shop.clock.now,
    )

  it('is warned of by the micro-USD before prices are saved, and on Today', async () => {
    await cost(3_500_000n)
    const now = await owner.call('prices', {})
    const preview = async (perGb: string) =>
      (
        await owner.call('preview_prices', {
          prices: [{ pool: 'residential', per_gb_micros: perGb }],
          tiers: [{ from_gb: 10, discount_ppm: 100_000 }],
        })
      ).filter(({ then_micros: then }) => then !== null)
    expect(
      (await preview('3500000')).filter(({ below_cost: below }) => below).map(({ gb: amount }) => amount),
    ).not.toContain(1)
    expect((await preview('3490000')).find(({ gb: amount }) => amount === 1)).toMatchObject({
      below_cost: true,
      dearest_per_gb_micros: '3500000',
    })
    // 10 % off 3.89 is 35.01 for 10 GB; off 3.88 it is 34.92.
    const tenOf = async (perGb: string) => (await preview(perGb)).find(({ gb: amount }) => amount === 10)
    expect((await tenOf('3890000'))?.below_cost).toBe(false)
    expect((await tenOf('3880000'))?.below_cost).toBe(true)
    await owner.call('change_prices', {
      seen: now,
      prices: [{ pool: 'residential', per_gb_micros: '3400000' }],
      tiers: [],
      reason: 'a test',
    })
    expect(await need('below_cost')).toMatchObject({
      count: 1,
      href: '/prices',
      examples: ['residential 1 GB'],
    })
    await owner.call('change_prices', {
      seen: { prices: [{ pool: 'residential', per_gb_micros: '3400000' }], tiers: [] },
      prices: [{ pool: 'residential', per_gb_micros: '4000000' }],
      tiers: [],
      reason: 'a test',
    })
    expect(await need('below_cost')).toBeUndefined()
  })

  it('is warned of for a promo code before it is made, and while it is valid', async () => {
    await cost(3_600_000n)
    const discount = { discount_ppm: 100_010, min_gb: 1, pools: null }
    const below = async (asked: DeskInput<'preview_discount'>) =>
      (await owner.call('preview_discount', asked)).filter((sale) => sale.below_cost)
    expect(await below({ ...discount, discount_ppm: 100_000 })).toEqual([])
    expect(await below({ ...discount, min_gb: 1000 })).toMatchObject([
      { pool: 'residential', gb: 1000, per_gb_micros: '3599960', dearest_per_gb_micros: '3600000' },
    ])
    expect(await below({ ...discount, min_gb: 1000, pools: ['mobile'] })).toEqual([])
    await owner.call('create_promo_codes', {
      codes: { kind: 'one', code: 'TOOMUCH' },
      grant: { kind: 'discount', discount_ppm: 200_000, min_gb: 1 },
      max_uses: null,
      expires_at: null,
      key: crypto.randomUUID(),
    })
    expect(await need('below_cost')).toMatchObject({ count: 1, href: '/promo-codes', examples: ['TOOMUCH'] })
    await owner.call('stop_promo_code', { code: 'TOOMUCH' })
    await owner.call('create_promo_codes', {
      codes: { kind: 'batch', name: 'too many', prefix: 'TM-', count: 5 },
      grant: { kind: 'discount', discount_ppm: 200_000, min_gb: 1 },
      max_uses: null,
      expires_at: null,
      key: crypto.randomUUID(),
    })
    expect(await need('below_cost')).toMatchObject({ count: 1, examples: ['too many'] })
    await owner.call('stop_promo_batch', { batch: 'too many' })
    expect(await need('below_cost')).toBeUndefined()
  })
})
