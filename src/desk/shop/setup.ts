/** The state of a shop's set-up, from the findings of `turnpike doctor`. */
import { type ShopCheckName, unfinished } from '#contract/desk/checks/faults'
import type { DeskOutput } from '#contract/desk/contract'
import { type Said, sentenceOf } from '#contract/desk/faults'
import { setupStepNames, setupSteps } from '#contract/desk/setup'
import type { Language } from '#contract/language'

/** A finding of `turnpike doctor` on the shop. */
export interface ShopFinding {
  name: ShopCheckName
  severity: 'ok' | 'warning' | 'trouble'
  said: Said
}

/** The steps of the set-up with their findings; a step without a check in this shop is left out. */
export function setupOf(checks: readonly ShopFinding[], language: Language): DeskOutput<'setup'> {
  return setupStepNames.flatMap((step) => {
    const { checks: names, ...rest }: { checks: readonly ShopCheckName[]; isOptional?: true } =
      setupSteps[step]
    const found = checks.filter(({ name }) => names.includes(name))
    if (found.length === 0) return []
    const findings = found.map(({ severity, said }) => ({
      level: severity === 'ok' && unfinished.has(said.code) ? ('todo' as const) : severity,
      sentence: sentenceOf(said, language),
    }))
    const isDone = findings.every(({ level }) => level === 'ok')
    const state = isDone
      ? ('done' as const)
      : rest.isOptional === true
        ? ('optional' as const)
        : ('todo' as const)
    return [{ step, state, findings }]
  })
}
