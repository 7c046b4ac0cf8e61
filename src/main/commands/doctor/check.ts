/** The findings of `turnpike doctor`, and their severity. */

import type { ShopCheckName } from '#contract/desk/checks/faults'
import { type FaultCode, type FaultFacts, type Said, sentenceOf } from '#contract/desk/faults'

/** `trouble`: customers or money are affected now. `warning`: they will be, or a setting is questionable. */
export type Severity = 'ok' | 'warning' | 'trouble'

/** The result of one check. */
export interface Check {
  name: string
  severity: Severity
  /** The finding; when it is not in order, also what to do. */
  sentence: string
  /** The file or folder that it is about, where there may be several. */
  about?: string
}

/** The exit status for the worst severity found. */
export const exitCodes: Readonly<Record<Severity, number>> = { ok: 0, warning: 1, trouble: 2 }

/** Creates checks with this name. */
export const checkOf =
  (name: string) =>
  (severity: Severity, sentence: string): Check => ({ name, severity, sentence })

/** The result of a check on the shop, which the desk shows in the language of its reader. */
export type ShopCheck = Check & { name: ShopCheckName; said: Said }

/** Creates checks on the shop with this name. */
export const shopCheckOf =
  (name: ShopCheckName) =>
  (severity: Severity, code: FaultCode, facts: FaultFacts = {}): ShopCheck => {
    const said = { code, facts }
    return { name, severity, sentence: sentenceOf(said, 'en'), said }
  }

export const worstOf = (checks: readonly Check[]): Severity => {
  const severities = new Set(checks.map(({ severity }) => severity))
  return severities.has('trouble') ? 'trouble' : severities.has('warning') ? 'warning' : 'ok'
}

/** The role of a machine. */
export const roles = ['shop', 'worker', 'gateway'] as const
export type Role = (typeof roles)[number]

/** The days from one time to another, rounded down. */
export const wholeDays = (from: Date, to: Date): number =>
  Math.floor((to.getTime() - from.getTime()) / (24 * 60 * 60_000))
