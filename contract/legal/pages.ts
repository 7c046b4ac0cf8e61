/**
 * The legal pages of a shop, and their addresses. `terms` is the public offer. Part of every page of the
 * shop, so it is kept small.
 */
export const legalPaths = {
  terms: '/terms',
  privacy: '/privacy',
  personal_data: '/personal-data',
  refund: '/refund',
  acceptable_use: '/acceptable-use',
  requisites: '/requisites',
  abuse: '/abuse',
} as const

export type LegalPage = keyof typeof legalPaths
export const legalPages = Object.keys(legalPaths) as [LegalPage, ...LegalPage[]]
