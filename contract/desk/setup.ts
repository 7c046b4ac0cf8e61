/**
 * The steps in which an owner sets up a shop at the desk. Each step has its page, and the checks of `turnpike
 * doctor` that decide whether it is done.
 */
import type { ShopCheckName } from './checks/faults.ts'

interface SetupStep {
  checks: readonly ShopCheckName[]
  /** The page of the desk where the step is done, with its part as a fragment; null: done on the server. */
  page: string | null
  /** A shop may open without it. */
  isOptional?: true
}

export const setupSteps = {
  brand: { checks: ['brand'], page: '/shop?tab=brand' },
  prices: { checks: ['prices'], page: '/prices' },
  exits: { checks: ['exits', 'inventory'], page: '/exits' },
  payments: { checks: ['payments', 'receipts'], page: '/settings?tab=connections' },
  purchase: { checks: ['purchase'], page: '/payments?tab=processors' },
  mail: { checks: ['mail'], page: '/settings?tab=connections#mail' },
  bot: { checks: ['bot'], page: '/settings?tab=connections#bot', isOptional: true },
  alerts: { checks: ['alerts'], page: '/settings?tab=alerts' },
  // The drafts of the legal pages are filled in with the contacts and the seller.
  contacts: { checks: ['contacts'], page: '/shop?tab=links' },
  seller: { checks: ['seller'], page: '/shop?tab=seller' },
  legal: { checks: ['legal'], page: '/shop?tab=legal' },
  backup: { checks: ['backup', 'restore'], page: null },
} as const satisfies Record<string, SetupStep>

export type SetupStepName = keyof typeof setupSteps

export const setupStepNames = Object.keys(setupSteps) as [SetupStepName, ...SetupStepName[]]

/** `optional`: not done, and not needed. */
export const setupStates = ['done', 'todo', 'optional'] as const
