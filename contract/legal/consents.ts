/** The documents that are agreed to at sign-up. */
import { legalPaths } from './pages.ts'

/**
 * In the order in which they are asked. The processing of personal data is a consent of its own, apart from
 * the contract.
 */
export const consentDocuments = ['terms', 'rules', 'personal_data'] as const
export type ConsentDocument = (typeof consentDocuments)[number]

export const documentPaths = {
  terms: legalPaths.terms,
  rules: '/rules',
  personal_data: legalPaths.personal_data,
} as const satisfies Record<ConsentDocument, string>

/** Consents given in one click: the contract with its rules, and, separately, personal data. */
export const consentGroups = [['terms', 'rules'], ['personal_data']] as const satisfies ConsentDocument[][]
