/**
 * Counts how the exits answered customers' connections, until the next heartbeat takes the counts. The
 * classes are fixed and the counts change in place, so a connection allocates nothing.
 */
import { answerClass, answerClasses, type ExitAnswers, type ExitError } from '#feed/exit.answers'
import { formatIp, type Ip } from '#lib/ip'
import type { ExitFailure } from './failure.ts'

/** The target of an attempt, as it may be named by the exit. */
interface Target {
  name: string | null
  ips: readonly Ip[]
}

interface Failed {
  failure: ExitFailure
  /** Null: not known where the failure was noticed. */
  target: Target | null
}

const mostWord = 200

/** A protocol token, which names no host. */
const token = /^[\w-]{1,64}$/

/**
 * What the exit said, without the name and the addresses of the target: staff may see it for every customer.
 */
function wordOf(said: string | null, target: Target | null): string | null {
  if (said === null || token.test(said)) return said
  if (target === null) return null
  const hidden = [...(target.name === null ? [] : [target.name]), ...target.ips.map(formatIp)]
  return hidden.reduce(withoutText, said)
}

function errorOf({ failure: { parts }, target }: Failed): ExitError {
  const word = wordOf(parts.exit?.word ?? null, target)
  return { code: parts.code, status: parts.exit?.status ?? null, word: word?.slice(0, mostWord) ?? null }
}

/** Replaces `hidden` in the text, whatever the case of its letters. */
const withoutText = (text: string, hidden: string): string =>
  text.replaceAll(new RegExp(hidden.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'gi'), '…')

export class Answers {
  readonly #known = new Map<bigint, ExitAnswers>()
  readonly #last = new Map<bigint, Failed>()

  /** Counts a connection that the exit opened, by the milliseconds since the attempt began. */
  answered(exit: bigint, ms: number): void {
    const { answered } = this.#of(exit)
    const index = answerClass(ms)
    answered[index] = (answered[index] ?? 0) + 1
  }

  /** Counts an attempt that failed because of the exit, and keeps what the exit said of it. */
  failed(exit: bigint, failure: ExitFailure, target: Target | null): void {
    this.#of(exit).failed++
    this.#last.set(exit, { failure, target })
  }

  /** Returns the counts and starts new ones. */
  take(): ExitAnswers[] {
    const taken = [...this.#known.values()]
    for (const one of taken) {
      const failed = this.#last.get(one.exit)
      if (failed !== undefined) one.last = errorOf(failed)
    }
    this.#known.clear()
    this.#last.clear()
    return taken
  }

  /** Adds back counts that could not be reported. */
  giveBack(taken: readonly ExitAnswers[]): void {
    for (const { exit, failed, answered, last } of taken) {
      const known = this.#of(exit)
      if (last !== undefined) known.last ??= last
      known.failed += failed
      for (const [index, count] of answered.entries())
        known.answered[index] = (known.answered[index] ?? 0) + count
    }
  }

  #of(exit: bigint): ExitAnswers {
    let known = this.#known.get(exit)
    if (known === undefined)
      this.#known.set(exit, (known = { exit, failed: 0, answered: Array<number>(answerClasses).fill(0) }))
    return known
  }
}
