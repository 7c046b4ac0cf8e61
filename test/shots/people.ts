/**
 * The customers of the pictures, created through the running shop: their history is real, only its times are
 * moved.
 */
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import type { Origin } from '#test/origin'
import { knowAllDevices } from '../browser/operator.ts'
import { buy, origin, signedIn } from '../browser/shop.ts'
import { makeBusy } from './busy.ts'
import type { Language, Who } from './shot.ts'

const run = promisify(execFile)

export interface Customer {
  username: string
  token: string
}

/** A call of the site, as a customer. */
export async function ask(page: Page, { token }: Customer, call: string, data: object): Promise<string> {
  const answer = await page.request.post(`${origin()}/api/rpc/${call}`, {
    headers: { authorization: `Bearer ${token}` },
    data,
  })
  if (!answer.ok()) throw new Error(`${call}: ${await answer.text()}`)
  return answer.text()
}

/** A line of the customer, or of one of their proxy users, as `-x` of curl takes it. */
export const lineOf = async (
  page: Page,
  customer: Customer,
  pool: string,
  proxyUser?: number,
): Promise<string> =>
  `http://${await ask(page, customer, 'get_proxy', {
    anonymous: 'true',
    type: 'rotating',
    protocol: 'http',
    format: 'login:password@hostname:port',
    quantity: 1,
    pool,
    ...(proxyUser === undefined ? {} : { proxy_user: proxyUser }),
  })}`

/**
 * Sends one request through the gateway; returns the status of the target or of the gateway. A refused or cut
 * request is no failure here.
 */
export async function statusOf(line: string, target: string): Promise<number> {
  const sent = run('curl', ['-s', '-m', '120', '-o', '/dev/null', '-w', '%{http_code}', '-x', line, target])
  const { stdout } = await sent.catch((error: { stdout: string }) => error)
  return Number(stdout)
}

/** Sends one request through the gateway and ignores its result. */
export const send = async (line: string, target: string): Promise<void> => void (await statusOf(line, target))

/** The names of the customers in each language, all different, since one shop has both. */
const names: Readonly<Record<Exclude<Who, 'demo'> | 'asks' | 'served', Record<Language, string>>> = {
  new: { ru: 'pavel-ivanov', en: 'paul-baker' },
  buyer: { ru: 'anna-petrova', en: 'anna-cooper' },
  busy: { ru: 'maria-lebedeva', en: 'maria-evans' },
  capped: { ru: 'sergey-orlov', en: 'simon-clark' },
  'used-up': { ru: 'boris-volkov', en: 'ben-carter' },
  guarded: { ru: 'ivan-sokolov', en: 'john-walker' },
  partner: { ru: 'oleg-smirnov', en: 'olivia-reed' },
  'top-up': { ru: 'elena-kozlova', en: 'ellen-moore' },
  asks: { ru: 'nikita-fomin', en: 'nora-field' },
  served: { ru: 'dmitry-kozlov', en: 'david-price' },
}

/** A new customer of this name, signed in on the page. */
export const named = (page: Page, language: Language, who: keyof typeof names): Promise<Customer> =>
  signedIn(page, language, names[who][language])

/** A connection of a customer that stays open until it is ended. */
export async function keepOpen(page: Page, customer: Customer, target: Origin): Promise<() => void> {
  const line = await lineOf(page, customer, 'residential')
  const url = `http://${target.host}:${target.httpPort}/bytes/100000000`
  const child = spawn('curl', ['-s', '-o', '/dev/null', '--limit-rate', '20k', '-x', line, url])
  return () => void child.kill()
}

/** A customer who has bought two pools, made some requests, and shares one pool. */
async function buyer(page: Page, language: Language): Promise<Customer> {
  const customer = await named(page, language, 'buyer')
  await buy(page, customer.token, { pool: 'residential', amount: 5 })
  await buy(page, customer.token, { pool: 'mobile', amount: 1 })
  const line = await lineOf(page, customer, 'residential')
  await send(line, `${origin()}/api/echo?bytes=2000000`)
  await send(line, 'http://10.1.2.3/')
  await send(line, `${origin()}/api/echo`)
  await send(line, 'http://no-such-host.example/')
  const [first, second, third] =
    language === 'ru' ? ['Анна', 'Парсер цен', 'Подрядчик'] : ['Anna', 'Price parser', 'Contractor']
  const user = (label: string | undefined, settings: object) =>
    ask(page, customer, 'create_proxy_user', { pool: 'residential', label, ...settings })
  await user(first, { total_bytes: 1_500_000_000, countries: ['de', 'fr'], addresses: ['203.0.113.0/24'] })
  await user(second, { day_bytes: 500_000_000, connections: 20, allowed_hosts: ['*.example.com'] })
  await user(third, { total_bytes: 0 })
  await ask(page, customer, 'freeze_proxy_user', { pool: 'residential', number: 2, frozen: true })
  await ask(page, customer, 'add_ip_to_whitelist', { ip: '8.8.4.4', pool: 'residential' })
  return customer
}

/** A customer of one pool who has used the last byte: further requests are refused. */
async function usedUp(page: Page, language: Language, target: Origin): Promise<Customer> {
  const customer = await named(page, language, 'used-up')
  await buy(page, customer.token, { pool: 'mobile', amount: 1 })
  const label = language === 'ru' ? 'Антон' : 'Anthony'
  await ask(page, customer, 'create_proxy_user', { pool: 'mobile', label })
  const line = await lineOf(page, customer, 'mobile')
  await send(line, `http://${target.host}:${target.httpPort}/bytes/1100000000`)
  await send(line, `${origin()}/api/echo`)
  return customer
}

let invited = 0

/** Signs up a customer by another customer's link, and buys this amount as that customer. */
async function inviteBuyer(page: Page, referralId: string, amount: number): Promise<void> {
  const username = `friend-${++invited}`
  const post = (call: string, data: object) =>
    page.request.post(`${origin()}/api/rpc/${call}`, {
      headers: { 'x-forwarded-for': `198.19.0.${invited}` },
      data,
    })
  const person = { username, password: 'a long password' }
  await post('signup', { ...person, email: `${username}@example.com`, referral_id: referralId })
  const token = await (await post('signin', person)).text()
  await buy(page, token, { pool: 'residential', amount })
}

/** The customer, after friends whom they invited have bought. */
export async function withFriends(page: Page, customer: Customer): Promise<Customer> {
  const answer = await page.request.get(`${origin()}/api/legacy_referal_info`, {
    headers: { authorization: `Bearer ${customer.token}` },
  })
  const [info] = (await answer.json()) as [{ links: { website: string } }]
  const referralId = new URL(info.links.website).searchParams.get('ref') ?? ''
  for (const amount of [100, 50, 250]) await inviteBuyer(page, referralId, amount)
  return customer
}

/** A customer whose friends have bought. */
const partner = async (
  page: Page,
  language: Language,
  who: 'partner' | 'asks' = 'partner',
): Promise<Customer> => withFriends(page, await named(page, language, who))

/** Requests a payout to a wallet. */
export async function askPayout(page: Page, { token }: Customer, usd: number): Promise<void> {
  const answer = await page.request.post(`${origin()}/api/rpc/request_payout`, {
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() },
    data: { micros: String(usd * 1_000_000), network: 'usdt_trc20', wallet },
  })
  if (!answer.ok()) throw new Error(`request_payout: ${await answer.text()}`)
}

/** An address of a network with a valid checksum. */
export const wallet = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

/** A partner who waits for a payout, and has asked to be erased. */
export async function partnerWhoAsks(page: Page, language: Language): Promise<Customer> {
  const customer = await partner(page, language, 'asks')
  await knowAllDevices()
  await askPayout(page, customer, 80)
  await ask(page, customer, 'request_erasure', { password: 'a long password' })
  return customer
}

/** A customer with one purchase, for the pictures of an account's security. */
async function guarded(page: Page, language: Language): Promise<Customer> {
  const customer = await named(page, language, 'guarded')
  await buy(page, customer.token, { pool: 'residential', amount: 1 })
  return customer
}

/** A customer with a month of history and an unpaid invoice. */
async function busy(page: Page, language: Language): Promise<Customer> {
  const customer = await named(page, language, 'busy')
  await buy(page, customer.token, { pool: 'residential', amount: 300 })
  await buy(page, customer.token, { pool: 'mobile', amount: 20 })
  await makeBusy(customer.username)
  const order = { payment_method: 'sandbox', pool: 'datacenter', amount: 50 }
  await ask(page, customer, 'create_invoice_web', order)
  return customer
}

/** The customer of the demo, with a month behind them. */
async function demoCustomer(page: Page, language: Language): Promise<Customer> {
  const file = path.join(process.env['TEST_DATA_DIR'] ?? '', 'demo.json')
  const { customer } = JSON.parse(readFileSync(file, 'utf8')) as {
    customer: { username: string; password: string }
  }
  const answer = await page.request.post(`${origin()}/api/rpc/signin`, { data: customer })
  const known = { username: customer.username, token: await answer.text() }
  await ask(page, known, 'change_language', { code: language === 'ru' ? 'rus' : 'eng' })
  const headers = { authorization: `Bearer ${known.token}` }
  const [profile] = (await (
    await page.request.get(`${origin()}/api/legacy_profile`, { headers })
  ).json()) as object[]
  await page.goto(`${origin()}/login`)
  const stored = JSON.stringify({ ...profile, token: known.token })
  await page.evaluate((user) => localStorage.setItem('user', user), stored)
  return known
}

/** Makes a customer and signs them in on the page. */
export async function arrive(
  page: Page,
  { who, language, target }: { who: Who; language: Language; target: Origin },
): Promise<Customer> {
  if (who === 'new') return named(page, language, 'new')
  if (who === 'buyer') return buyer(page, language)
  if (who === 'guarded') return guarded(page, language)
  if (who === 'partner') return partner(page, language)
  if (who === 'busy') return busy(page, language)
  if (who === 'capped' || who === 'top-up') {
    const customer = await named(page, language, who)
    await buy(page, customer.token, { pool: 'residential', amount: 1 })
    return customer
  }
  return who === 'demo' ? demoCustomer(page, language) : usedUp(page, language, target)
}
