/** The tabs of the account, named in the address: `/account?tab=panel`. */
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

/** The tab an address names; the main one when it names none. An invoice is looked at among the invoices. */
export function tabFromAddress(search: URLSearchParams): Tab {
  if (search.has('invoice')) return 'invoices'
  return tabs.find((tab) => tab === search.get('tab')) ?? 'main'
}

export function tabHref(tab: Tab): string {
  return tab === 'main' ? '/account' : `/account?tab=${tab}`
}

/** Where one invoice is watched. */
export function invoiceHref(number: string): string {
  return `/account?invoice=${encodeURIComponent(number)}`
}
