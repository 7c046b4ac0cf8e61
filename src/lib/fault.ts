import { type FaultCode, type FaultFacts, type Said, sentenceOf } from '#contract/desk/faults'
import type { Language } from '#contract/language'

/**
 * A value from the operator that cannot be accepted: a code with its facts. The message is the sentence in
 * English.
 */
export class Fault extends Error implements Said {
  readonly code: FaultCode
  readonly facts: FaultFacts

  constructor(code: FaultCode, facts: FaultFacts = {}) {
    super(sentenceOf({ code, facts }, 'en'))
    this.code = code
    this.facts = facts
  }

  in(language: Language): string {
    return sentenceOf(this, language)
  }
}
