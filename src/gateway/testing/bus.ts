/** For the gateway's own tests: workers that share limits, without processes. */

import type { Family, FamilyWord, Siblings } from '../limits/coordinator.ts'

export interface Sibling extends Siblings {
  leave: () => void
  /** How many words it has said. */
  said: () => number
}

/** One worker of a family of `count`, whose words take a turn of the event loop either way, as over a pipe. */
export function join(family: Family, count = 2): Sibling {
  const listeners: ((word: FamilyWord) => void)[] = []
  let said = 0
  const member = family.join((word) => {
    setImmediate(() => {
      for (const listener of listeners) listener(word)
    })
  })
  return {
    count,
    say: (word) => {
      said++
      setImmediate(() => member.hear(word))
    },
    hear: (listener) => void listeners.push(listener),
    leave: () => member.leave(),
    said: () => said,
  }
}
