/** The places of the account, each with its tabs by their names in the address: `/account?tab=panel`. */
export const places = {
  overview: ['main'],
  proxies: ['panel', 'proxyUsers', 'whitelist', 'limits'],
  usage: ['statistic', 'requests', 'bill'],
  billing: ['invoices', 'topup', 'moves', 'referal'],
  settings: ['profile', 'changePass', 'notices', 'team', 'resell'],
} as const

export type Place = keyof typeof places
export const placeNames = Object.keys(places) as Place[]
export type Tab = (typeof places)[Place][number]
export const tabs: readonly Tab[] = Object.values(places).flat()

const has = (place: Place, tab: Tab) => (places[place] as readonly Tab[]).includes(tab)

/** The place that has a tab. */
export const placeOf = (tab: Tab): Place => placeNames.find((place) => has(place, tab)) ?? 'overview'

/** The tab in an address, else the main one. `?invoice=…` opens the invoices, `?request=…` the requests. */
export function tabFromAddress(search: URLSearchParams): Tab {
  if (search.has('invoice')) return 'invoices'
  if (search.has('request')) return 'requests'
  return tabs.find((tab) => tab === search.get('tab')) ?? 'main'
}

export function tabHref(tab: Tab): string {
  return tab === 'main' ? '/account' : `/account?tab=${tab}`
}

/** The address of one invoice. */
export function invoiceHref(number: string): string {
  return `/account?invoice=${encodeURIComponent(number)}`
}

/** The address of one request. `list`: the query of the list, to which its page leads back. */
export function requestHref(id: string, list = ''): string {
  const search = new URLSearchParams(list)
  search.delete('tab')
  search.set('request', id)
  return `/account?${search.toString()}`
}

/** The address of the list of requests from which the page of one was opened, its filters kept. */
export function listHref(search: URLSearchParams): string {
  const list = new URLSearchParams(search)
  list.delete('request')
  list.set('tab', 'requests')
  return `/account?${list.toString()}`
}
