/** An order whose answer is lost: it is sent again unchanged, and nothing says that it failed. */
import { QueryClientProvider } from '@tanstack/react-query'
import { act, createElement } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { balanceMethod, referralMethod } from '#contract/invoices'
import { NavigateContext, PlaceContext } from '../../router/react-router.tsx'
import { changeLanguage, loadTexts, text } from '../../state/i18n.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { readSession, session, type Session } from '../../state/session.ts'
import { restoreSites, type Site } from '../../state/site.ts'
import { toast } from '../../state/toast.ts'
import { PurchasePage } from './purchase-page.tsx'

const pools = ['residential', 'residential_premium', 'datacenter', 'mobile']
const refusal = { code: 'promocode_used', message: 'You have used this code.' }

/** The answers of the shop, by the last part of the path; a number: refused with that status. */
let answers: Record<string, unknown> = {}
/** What becomes of the calls that order. */
let fate: 'lost' | 'made' | 'refused' | 'waits' = 'lost'
/** The names of the calls so far. */
let called: string[] = []
let orders: { url: string; key: string | undefined; body: unknown }[] = []
let arrive = () => {}
let root: Root | null = null
const navigate = vi.fn<() => Promise<void>>(async () => undefined)
const fault = vi.fn<(text: string) => void>()

const isOrder = (url: string) => /buy|referral_payment|create_invoice_web/.test(url)

function orderAnswer(): Promise<Response> {
  if (fate === 'made') return Promise.resolve(Response.json({ invoice: '1' }))
  if (fate === 'refused') return Promise.resolve(Response.json(refusal, { status: 422 }))
  if (fate === 'lost') return Promise.reject(new TypeError('the connection was lost'))
  return new Promise((_resolve, reject) => (arrive = () => reject(new TypeError('the connection was lost'))))
}

afterAll(() => changeLanguage('ru'))
beforeEach(async () => {
  await loadTexts('purchase', 'header')
  await changeLanguage('en')
  answers = {
    discount_promocode_info: { discount: 0.1 },
    prices: { residential: 3.5, residential_premium: 5, datacenter: 1, mobile: 6 },
    calculate: [0],
    payment_systems: [{ name: 'sandbox', description: '' }],
    money_balance: { balance_usd: 100, withheld_usd: 0, changes: [] },
    receipt_email: { needed_for: [], email: null },
    get_top_ups: { methods: [], save_consent: { text: '', sha256: '' } },
    legacy_profile: [],
  }
  fate = 'lost'
  called = []
  orders = []
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.spyOn(toast, 'error').mockImplementation(fault)
  vi.spyOn(toast, 'success').mockImplementation(() => undefined)
  vi.stubGlobal('fetch', (url: string, { headers, body }: RequestInit = {}) => {
    const name = new URL(url, 'http://shop.example').pathname.split('/').at(-1) ?? ''
    called.push(name)
    if (isOrder(url)) {
      const key = (headers as Record<string, string>)['idempotency-key']
      orders.push({ url, key, body: JSON.parse(body as string) })
      return orderAnswer()
    }
    const answer = answers[name]
    return Promise.resolve(Response.json(answer ?? null, { status: answer === refusal ? 422 : 200 }))
  })
  session.set(readSession(JSON.stringify({ user_id: 7, token: 'the token' })) as Session)
  restoreSites([['en', { pools: { sold: pools }, brand: { name: 'x' } } as unknown as Site]])
})

afterEach(() => {
  act(() => root?.unmount())
  document.body.innerHTML = ''
  queryClient.clear()
  session.clear()
  restoreSites([])
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  fault.mockClear()
  navigate.mockClear()
})

const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 20)))
const alert = () => document.querySelector('section [role=alert]')?.textContent ?? null

/** Opens the order page with an order of 10 GB, and waits until its promo code is checked. */
async function open(method: string): Promise<void> {
  const place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
  const search = `?amount=10&pool=residential&promocode=SPRING&method=${method}`
  const at = { pathname: '/purchase', search, hash: '', state: null, key: 'default' }
  const page = createElement(QueryClientProvider, { client: queryClient }, createElement(PurchasePage))
  const placed = createElement(PlaceContext, { value: at }, page)
  act(() => root?.render(createElement(NavigateContext, { value: navigate }, placed)))
  while (!called.includes('discount_promocode_info')) await settle()
  await settle()
}

async function press(): Promise<void> {
  const form = document.querySelector('form')
  act(() => void form?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
  await settle()
}

/** The promo code is checked again, and refused: the order has used it. */
async function useUpCode(): Promise<void> {
  answers['discount_promocode_info'] = refusal
  await act(() => queryClient.invalidateQueries({ queryKey: ['discount_promocode_info'] }))
  await settle()
}

/** Changes the amount, as a customer does. */
async function edit(): Promise<void> {
  const button = [...document.querySelectorAll('button')].find(({ textContent }) =>
    /^100\s/.test(textContent),
  )
  act(() => button?.click())
  await settle()
}

it.each([balanceMethod, referralMethod, 'sandbox'])(
  'is the same order until it is made (%s)',
  async (method) => {
    await open(method)
    await press()
    expect(alert()).toBe(text('purchase', 'unsure'))
    expect(fault).not.toHaveBeenCalled()
    await useUpCode()
    await press()
    expect(orders).toHaveLength(2)
    expect(orders[0]?.body).toMatchObject({ amount: 10, promocode: 'SPRING' })
    expect(orders[1]).toEqual(orders[0])
  },
)

it('is over when it is made, or refused', async () => {
  await open(balanceMethod)
  await press()
  fate = 'refused'
  await press()
  expect(alert()).toBeNull()
  expect(fault).toHaveBeenCalledWith(text('purchase', 'balanceFailed'))
  await useUpCode()
  fate = 'made'
  await press()
  expect(orders[2]?.body).toMatchObject({ promocode: null })
  expect(navigate).toHaveBeenCalledWith('/profile')
})

it('has what it changed read again', async () => {
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries')
  await open(balanceMethod)
  await press()
  for (const name of ['legacy_profile', 'invoices', 'money_balance'])
    expect(invalidate).toHaveBeenCalledWith({ queryKey: [name] })
})

it('is another order once the customer has changed the form', async () => {
  await open(balanceMethod)
  await press()
  await edit()
  expect(alert()).toBeNull()
  await press()
  expect(orders[1]?.body).toMatchObject({ amount: 100 })
  expect(orders[1]?.key).not.toBe(orders[0]?.key)
})

it('is not sent in place of the order of a form that was changed while it waited', async () => {
  await open(balanceMethod)
  fate = 'waits'
  await press()
  await edit()
  arrive()
  await settle()
  expect([alert(), fault.mock.calls]).toEqual([null, [[text('purchase', 'unsureEdited')]]])
  await press()
  expect(orders[1]?.body).toMatchObject({ amount: 100 })
})

it('is known not to have been sent without a network', async () => {
  await open(balanceMethod)
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')))
  await press()
  expect([alert(), orders, fault.mock.calls.length]).toEqual([null, [], 1])
})
