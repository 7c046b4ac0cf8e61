/** A request for a payout whose answer is lost may have been carried out: it is repeated with the same key. */
import { QueryClientProvider } from '@tanstack/react-query'
import { act, createElement } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Output } from '#contract/contract'
import { loadTexts } from '../../state/i18n.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { PayoutForm } from './payout-form.tsx'

const payouts = {
  balance_micros: '50000000',
  least_micros: '10000000',
  networks: ['trc20'],
  rows: [],
  hold_until: null,
} as unknown as Output<'get_payouts'>

let keys: (string | undefined)[] = []
let answer: () => Promise<Response> = () => Promise.reject(new TypeError('the connection was lost'))
let root: Root | null = null

const refused = (status: number, code: string) => () =>
  Promise.resolve(Response.json({ code, message: code }, { status }))

beforeEach(async () => {
  await loadTexts('payouts')
  keys = []
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', (url: string, { headers }: RequestInit = {}) => {
    if (!url.includes('request_payout')) return Promise.resolve(new Response('ok'))
    keys.push((headers as Record<string, string>)['idempotency-key'])
    return answer()
  })
  const place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
  const form = createElement(PayoutForm, { payouts })
  act(() => root?.render(createElement(QueryClientProvider, { client: queryClient }, form)))
  const fields = [...document.querySelectorAll('input')]
  const wallet = fields.at(-1)
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(wallet, 'TR7NHqjeKQxG')
  act(() => void wallet?.dispatchEvent(new Event('input', { bubbles: true })))
})

afterEach(() => {
  act(() => root?.unmount())
  document.body.innerHTML = ''
  queryClient.clear()
  vi.unstubAllGlobals()
})

async function press(): Promise<void> {
  act(() => document.querySelector<HTMLButtonElement>('button[type=submit]')?.click())
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
}

it.each([
  ['no answer came', () => Promise.reject(new TypeError('the connection was lost'))],
  ['the first request still runs', refused(409, 'idempotency_key_busy')],
  ['another server answered', refused(502, 'unexpected_answer')],
])('keeps its key when %s', async (_title, given) => {
  answer = given
  await press()
  await press()
  expect(keys).toHaveLength(2)
  expect(keys[1]).toBe(keys[0])
})

it('has another key after a refusal', async () => {
  answer = refused(409, 'payout_too_small')
  await press()
  await press()
  expect(keys).toHaveLength(2)
  expect(keys[1]).not.toBe(keys[0])
})
