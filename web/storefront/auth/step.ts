import { CallError } from '#contract/client'
import { type FactorKind, factorKinds, secondStepCode } from '#contract/account-security/rules'

/** A sign-in whose first step succeeded, and the factors that its second step accepts. */
export interface Step {
  ticket: string
  factors: readonly FactorKind[]
}

/** The second step that a refused sign-in asks for; null: it was refused for another reason. */
export function stepIn(error: unknown): Step | null {
  if (!(error instanceof CallError) || error.code !== secondStepCode) return null
  const { ticket, factors } = error.details
  if (typeof ticket !== 'string' || !Array.isArray(factors)) return null
  return { ticket, factors: factorKinds.filter((kind) => factors.includes(kind)) }
}
