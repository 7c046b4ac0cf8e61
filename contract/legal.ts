/** The legal pages of a shop, and the documents that are agreed to at sign-up. */
import type { PublicPath } from './pages.ts'

/** `terms` is the public offer. */
export const legalPages = [
  'terms',
  'privacy',
  'personal_data',
  'refund',
  'acceptable_use',
  'requisites',
  'abuse',
] as const
export type LegalPage = (typeof legalPages)[number]

export const legalPaths = {
  terms: '/terms',
  privacy: '/privacy',
  personal_data: '/personal-data',
  refund: '/refund',
  acceptable_use: '/acceptable-use',
  requisites: '/requisites',
  abuse: '/abuse',
} as const satisfies Record<LegalPage, PublicPath>

/**
 * What is agreed to at sign-up, in the order in which it is asked. The processing of personal data is a consent of its own, apart
 * from the contract.
 */
export const consentDocuments = ['terms', 'rules', 'personal_data'] as const
export type ConsentDocument = (typeof consentDocuments)[number]

export const documentPaths = {
  terms: legalPaths.terms,
  rules: '/rules',
  personal_data: legalPaths.personal_data,
} as const satisfies Record<ConsentDocument, PublicPath>

/** What is done in one click: the contract with its rules, and, apart from it, personal data. */
export const consentGroups = [['terms', 'rules'], ['personal_data']] as const satisfies ConsentDocument[][]
