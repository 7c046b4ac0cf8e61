/**
 * Creates the objects that the pictures of the desk need besides customers: an exit of a seller, an account
 * there, a source of places with two files, a group in Telegram.
 */
import { expect, type Page } from '@playwright/test'
import { sql } from 'kysely'
import { deskOrigin } from '../../browser/shop.ts'
import { runTask, withDatabase } from '../database.ts'
import { fakes } from '../fakes.ts'
import type { Stage } from '../shot.ts'

/** A call of the desk, as the member of staff who is signed in on the page. */
export async function callDesk<T>(page: Page, name: string, data?: object): Promise<T> {
  const url = `${deskOrigin()}/api/${name}`
  const headers = { origin: deskOrigin(), 'sec-fetch-site': 'same-origin' }
  const answer =
    data === undefined
      ? await page.request.get(url, { headers })
      : await page.request.post(url, { headers, data })
  if (!answer.ok()) throw new Error(`${name}: ${await answer.text()}`)
  return (await answer.json()) as T
}

interface SellerAccount {
  id: string
  asked: object | null
  places: object | null
}

/** Reads the due sellers' accounts until a condition holds for the first. */
async function readSellers(page: Page, holds: (account: SellerAccount) => boolean): Promise<void> {
  await withDatabase(({ db }) => sql`update seller_reading set due_at = now()`.execute(db))
  await runTask('read_sellers', 'sellers')
  const look = async () => {
    const [account] = await callDesk<SellerAccount[]>(page, 'seller_accounts')
    return account !== undefined && holds(account)
  }
  await expect.poll(look, { timeout: 30_000 }).toBe(true)
}

/**
 * Adds an exit that nothing is sold through, and the seller's account that pays for it. The account's list of
 * places has shrunk since it was first read.
 */
async function addSeller(page: Page): Promise<void> {
  const exit = {
    pool: 'residential_premium',
    kind: 'http',
    preset: null,
    host: '127.0.0.1',
    port: 9,
    username: 'me',
    password: 'of-the-proxy',
    options: {},
    tls: false,
    weight: 1,
    max_connections: null,
    countries: ['us', 'de', 'gb', 'fr', 'br', 'in'],
    enabled: false,
  }
  const { id } = await callDesk<{ id: string }>(page, 'add_exit', { ...exit, name: 'impulse' })
  // The stock of this exit is entered by hand.
  await callDesk(page, 'add_exit', { ...exit, name: 'lumen', host: '127.0.0.2' })
  const { seller, sellerAccount } = fakes()
  await callDesk(page, 'add_seller_account', {
    ...sellerAccount,
    label: 'Impulse, main',
    counts: 'both',
    exits: [id],
  })
  await readSellers(page, ({ places }) => places !== null)
  seller.account.countries = { US: 4100, DE: 1800 }
  await readSellers(page, ({ asked }) => asked !== null)
}

const header = 'pool,country,state,city,zip,asn,as_name,count'

/** Adds a source of places that was imported twice. */
async function addPlaces(page: Page): Promise<void> {
  const owner = { kind: 'source', name: 'partner_net' }
  const rows = ['datacenter,nl,,,,,,120', 'datacenter,fi,,,,,,60']
  for (const some of [rows, rows.slice(0, 1)])
    await callDesk(page, 'import_places', { owner, csv: [header, ...some].join('\n') })
}

let isDone = false

/** Creates everything, once for both languages. */
export async function setUpDesk(page: Page): Promise<void> {
  if (isDone) return
  isDone = true
  await addSeller(page)
  await addPlaces(page)
}

/** The code to be written in the group. */
export async function askForCode({ page, text }: Stage): Promise<string> {
  const first = page.getByRole('button', { name: text('deskSettings:alerts.link'), exact: true })
  const other = page.getByRole('button', { name: text('deskSettings:alerts.linkAnother'), exact: true })
  await first.or(other).first().click()
  return page.getByRole('status').locator('code').innerText()
}

/** Links a group of the staff, by the code that one of them writes there. */
export async function linkGroup(stage: Stage): Promise<void> {
  const code = await askForCode(stage)
  const group = fakes().telegram.group({ title: stage.language === 'ru' ? 'Дежурные' : 'On duty' })
  group.say(code, { id: 7_100_000_001, first_name: 'Vera' })
  await group.hears(1)
  await stage.open('/settings?tab=alerts')
}
