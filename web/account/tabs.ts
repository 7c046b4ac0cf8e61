/** The tabs of the account, by their names in the address: `/account?tab=panel`. */
export const tabs = [
  'main',
  'panel',
  'statistic',
  'whitelist',
  'invoices',
  'referal',
  'changePass',
  'resell',
] as const
export type Tab = (typeof tabs)[number]

/** The tab in an address, else the main one. `?invoice=…` opens the invoices. */
export function tabFromAddress(search: URLSearchParams): Tab {
  if (search.has('invoice')) return 'invoices'
  return tabs.find((tab) => tab === search.get('tab')) ?? 'main'
}

export function tabHref(tab: Tab): string {
  return tab === 'main' ? '/account' : `/account?tab=${tab}`
}

/** The address of one invoice. */
export function invoiceHref(number: string): string {
  return `/account?invoice=${encodeURIComponent(number)}`
}
