/** A browser of a member of staff in which a view of a customer's account is open. */
import { createClient, type Client } from '#contract/client'
import { type OpenedView, viewHeader, viewPaths } from '#contract/view'
import type { App } from './app.ts'

/** The headers that a page of the shop sends with a POST; the origin is the `PUBLIC_URL` of tests. */
export const ownOrigin = { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' }

export const openLink = (
  shop: Pick<App, 'origin'>,
  url: string,
  headers: Record<string, string> = ownOrigin,
) =>
  fetch(`${shop.origin}${viewPaths.open}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token: new URL(url).hash.slice(1) }),
  })

export interface OpenView extends OpenedView {
  /** The Set-Cookie field. */
  setCookie: string
  /** The headers that a page in the view sends with each request. */
  headers: Record<string, string>
  call: Client
  end: () => Promise<Response>
}

/** Opens the view at a link of the desk. */
export async function openView(shop: Pick<App, 'origin'>, url: string): Promise<OpenView> {
  const answer = await openLink(shop, url)
  if (answer.status !== 200) throw new Error(`the view was not opened: ${await answer.text()}`)
  const opened = (await answer.json()) as OpenedView
  const [setCookie = ''] = answer.headers.getSetCookie()
  const cookie = setCookie.split(';')[0] ?? ''
  const headers = { cookie, [viewHeader]: opened.id }
  const call = createClient({
    baseUrl: shop.origin,
    token: () => null,
    view: () => opened.id,
    language: () => 'en',
    timeoutMs: 20_000,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...(init?.headers as object), cookie } }),
  })
  const end = () =>
    fetch(`${shop.origin}${viewPaths.end}`, { method: 'POST', headers: { ...headers, ...ownOrigin } })
  return { ...opened, setCookie, headers, call, end }
}
