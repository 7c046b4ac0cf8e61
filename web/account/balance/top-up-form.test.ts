/** The form that pays money in: after a lost answer, and when the customer comes back from the payment page. */
import { QueryClientProvider } from '@tanstack/react-query'
import { act, createElement } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { changeLanguage, loadTexts, text } from '../../state/i18n.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { readSession, session, type Session } from '../../state/session.ts'
import { TopUpForm } from './top-up-form.tsx'

let email: string | null = null
let isLost = false
let orders: { key: string | undefined; body: unknown }[] = []
let root: Root | null = null

afterAll(() => changeLanguage('ru'))
beforeEach(async () => {
  await loadTexts('money', 'purchase')
  await changeLanguage('en')
  email = null
  isLost = false
  orders = []
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.spyOn(window.location, 'assign').mockImplementation(() => undefined)
  vi.stubGlobal('fetch', (url: string, { headers, body }: RequestInit = {}) => {
    if (url.includes('payment_systems'))
      return Promise.resolve(Response.json([{ name: 'yookassa', description: '' }]))
    if (url.includes('receipt_email'))
      return Promise.resolve(Response.json({ needed_for: ['yookassa'], email }))
    if (!url.includes('create_balance_invoice')) return Promise.resolve(new Response('ok'))
    const key = (headers as Record<string, string>)['idempotency-key']
    orders.push({ key, body: JSON.parse(body as string) })
    if (isLost) return Promise.reject(new TypeError('the connection was lost'))
    return Promise.resolve(Response.json({ payment_url: 'https://pay.example/1' }))
  })
  session.set(readSession(JSON.stringify({ user_id: 7, token: 'the token' })) as Session)
  const place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
  const form = createElement(TopUpForm, { onClose: () => undefined })
  act(() => root?.render(createElement(QueryClientProvider, { client: queryClient }, form)))
  await settle()
  typeIn('#receipt-email', 'night@example.com')
})

afterEach(() => {
  act(() => root?.unmount())
  document.body.innerHTML = ''
  queryClient.clear()
  session.clear()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 20)))
const button = () => document.querySelector<HTMLButtonElement>('button[type=submit]')
const alert = () => document.querySelector('[role=alert]')?.textContent ?? null

function typeIn(field: string, value: string): void {
  const input = document.querySelector<HTMLInputElement>(field)
  // React replaces the setter of the element to notice changes.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value)
  act(() => void input?.dispatchEvent(new Event('input', { bubbles: true })))
}

async function press(): Promise<void> {
  act(() => button()?.click())
  await settle()
}

it('pays again after the browser has restored the page', async () => {
  await press()
  expect(window.location.assign).toHaveBeenCalledWith('https://pay.example/1')
  await press()
  expect(orders).toHaveLength(1)
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })))
  await settle()
  await press()
  expect(orders).toHaveLength(2)
})

it('repeats an unanswered order unchanged, although the shop knows its address by now', async () => {
  isLost = true
  await press()
  expect(alert()).toBe(text('money', 'unsure'))
  email = 'night@example.com'
  await act(() => queryClient.invalidateQueries({ queryKey: ['receipt_email'] }))
  await settle()
  await press()
  expect(orders[0]?.body).toMatchObject({ amount_usd: 100, receipt_email: 'night@example.com' })
  expect(orders[1]).toEqual(orders[0])
})

it('makes another order once the customer has changed it', async () => {
  isLost = true
  await press()
  typeIn('input:not(#receipt-email)', '200')
  expect(alert()).toBe(text('money', 'unsureEdited'))
  await press()
  expect(orders[1]?.body).toMatchObject({ amount_usd: 200 })
  expect(orders[1]?.key).not.toBe(orders[0]?.key)
})
