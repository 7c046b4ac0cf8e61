/** Automatic top-up, from a card that is saved with a purchase to charges that the bank refuses. */
import Stripe from 'stripe'
import { methodTitle } from '#contract/invoices'
import { expect, type Page } from '@playwright/test'
import type { Output } from '#contract/contract'
import { origin } from '../browser/shop.ts'
import { runTask } from './database.ts'
import { fakes } from './fakes.ts'
import { ask, type Customer } from './people.ts'
import type { Shot, Stage } from './shot.ts'

const account = '/account?tab=topup'
const pool = 'residential'

/** The customer of the page, as they are signed in there. */
const here = (page: Page): Promise<Customer> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}') as Customer)

async function topUps(page: Page, customer: Customer): Promise<Output<'get_top_ups'>> {
  const answer = await page.request.get(`${origin()}/api/rpc/get_top_ups`, {
    headers: { authorization: `Bearer ${customer.token}` },
  })
  return (await answer.json()) as Output<'get_top_ups'>
}

/** The processor notifies the shop of a payment. */
async function tellPaid(page: Page, session: string): Promise<void> {
  const object = { id: session, object: 'checkout.session' }
  const type = 'checkout.session.completed'
  const payload = JSON.stringify({
    id: `evt_${session}`,
    object: 'event',
    type,
    livemode: true,
    data: { object },
  })
  const secret = fakes().stripe.webhookSecret
  const signature = new Stripe('sk_test_unused').webhooks.generateTestHeaderString({ payload, secret })
  const answer = await page.request.post(`${origin()}/api/webhooks/card`, {
    headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
    data: payload,
  })
  if (!answer.ok()) throw new Error(`the webhook: ${await answer.text()}`)
}

/** Lets the shop process due top-ups until a condition holds. */
async function runUntil(
  page: Page,
  customer: Customer,
  holds: (known: Output<'get_top_ups'>) => boolean,
): Promise<void> {
  await runTask('top_up', 'top_up')
  await expect.poll(async () => holds(await topUps(page, customer)), { timeout: 20_000 }).toBe(true)
}

/** Buys 2 GB by a card, which is saved. */
export async function saveCard(page: Page, customer: Customer): Promise<void> {
  const { stripe } = fakes()
  const { save_consent: consent } = await topUps(page, customer)
  const order = { payment_method: 'card', amount: 2, pool, save_consent: consent.sha256 }
  await ask(page, customer, 'create_invoice_web', order)
  const session = [...stripe.sessions.keys()].at(-1) ?? ''
  stripe.pay(session)
  await tellPaid(page, session)
  await runUntil(page, customer, ({ saved }) => saved.length > 0)
}

/** Agrees to terms, as a person does who reads the consent. */
export async function agree(page: Page, customer: Customer, belowGb: number): Promise<void> {
  const { saved } = await topUps(page, customer)
  const terms = {
    pool,
    method_id: saved.at(-1)?.id ?? '',
    below_bytes: belowGb * 1e9,
    gb: Math.max(10, belowGb),
    month_usd: 1000,
  }
  const { sha256 } = JSON.parse(await ask(page, customer, 'top_up_consent', terms)) as { sha256: string }
  await ask(page, customer, 'set_top_up', { ...terms, consent: sha256 })
}

/** Lets the balance fall below the customer's threshold; the bank answers the charge with `says`. */
async function charge({ page }: Stage, belowGb: number, says?: 'insufficient_funds' | 'expired_card') {
  const customer = await here(page)
  const before = (await topUps(page, customer)).pools[0]?.last?.made_at
  if (says !== undefined) fakes().stripe.saved.bank.push(says)
  await agree(page, customer, belowGb)
  await runUntil(page, customer, ({ pools: [first] }) => {
    const { made_at: made, state } = first?.last ?? {}
    return made !== before && (state === 'succeeded' || state === 'failed')
  })
}

const card = ({ page, text }: Stage) => page.getByRole('region', { name: text('userBtns:topUp.title') })
const pressIn = (stage: Stage, key: string) =>
  card(stage)
    .getByRole('button', { name: stage.text(key) })
    .click()

const charged = (belowGb: number, says?: 'insufficient_funds' | 'expired_card') => async (stage: Stage) => {
  await charge(stage, belowGb, says)
  await stage.open(account)
  await card(stage).scrollIntoViewIfNeeded()
}

/** The order matters: each picture continues from the state of the one before. */
export const topUpShots: readonly Shot[] = [
  {
    name: 'purchase-card-saved',
    who: 'top-up',
    path: '/purchase?amount=10',
    act: async ({ page, text, language }) => {
      await page.getByRole('radio', { name: methodTitle('card', language) }).check({ force: true })
      await page.getByRole('checkbox', { name: text('purchase:saveCard') }).check()
    },
  },
  {
    name: 'account-top-up-card',
    who: 'top-up',
    path: account,
    act: async (stage) => {
      await saveCard(stage.page, await here(stage.page))
      await stage.open(account)
      await card(stage).getByText('4242').waitFor()
    },
  },
  {
    name: 'account-top-up-set-up',
    who: 'top-up',
    path: account,
    act: async (stage) => {
      await pressIn(stage, 'userBtns:topUp.setUp')
      await card(stage)
        .getByRole('button', { name: stage.text('userBtns:topUp.agree') })
        .and(stage.page.locator(':enabled:not([aria-disabled=true])'))
        .waitFor()
    },
  },
  {
    name: 'account-top-up-wrong',
    who: 'top-up',
    path: account,
    act: async (stage) => {
      await pressIn(stage, 'userBtns:topUp.setUp')
      await card(stage).getByLabel(stage.text('userBtns:topUp.buy')).fill('0')
      await card(stage).getByLabel(stage.text('userBtns:topUp.bound')).fill('a lot')
      await card(stage).getByText(stage.text('userBtns:topUp.buyBad')).waitFor()
    },
  },
  {
    name: 'account-top-up-on',
    who: 'top-up',
    path: account,
    act: async (stage) => {
      await agree(stage.page, await here(stage.page), 2)
      await stage.open(account)
      await card(stage).getByText(stage.text('userBtns:topUp.on'), { exact: true }).waitFor()
    },
  },
  { name: 'account-top-up-charged', who: 'top-up', path: account, act: charged(10) },
  {
    name: 'account-top-up-switched-off',
    who: 'top-up',
    path: account,
    act: async (stage) => {
      await card(stage)
        .getByRole('button', {
          name: new RegExp(`^${stage.text('userBtns:topUp.switchOffIn', { pool: '' }).trim()}`),
        })
        .click()
      await card(stage).getByText(stage.text('userBtns:topUp.off'), { exact: true }).waitFor()
    },
  },
  { name: 'account-top-up-failed', who: 'top-up', path: account, act: charged(50, 'insufficient_funds') },
  { name: 'account-top-up-refused', who: 'top-up', path: account, act: charged(60, 'expired_card') },
]
