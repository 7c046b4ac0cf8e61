/**
 * The link between a gateway and the server: requests, answers and events are lost or duplicated, and end
 * with the gateway.
 */
import { type Feed, FeedFailed, ReportRefused } from '#feed'
import type { Dice } from './dice.ts'

export interface Link {
  feed: Feed
  /** The gateway is dead: it sends and receives nothing more. Messages under way arrive. */
  cut: () => void
  /** From now on no message is lost. */
  calm: () => void
  /** Resolves when all sent messages have arrived. */
  quiet: () => Promise<void>
}

/** An error of the server reaches the gateway as such, and not as a lost connection. */
function asAnswered(fault: unknown): never {
  if (fault instanceof ReportRefused) throw fault
  throw new FeedFailed(fault instanceof Error ? fault.message : String(fault))
}

/** A feed that mishandles this percentage of messages. */
export function linkTo(feed: Feed, dice: Dice, lossPercent: number): Link {
  const onTheWay = new Set<Promise<unknown>>()
  // Events arrive when the database sends them, so they use separate dice, which do not affect requests.
  const eventDice = dice.of('events')
  let isCut = false
  let percent = lossPercent

  async function carry<T>(ask: () => Promise<T>): Promise<T> {
    const isUnlucky = dice.percent(percent)
    const fate = isUnlucky ? dice.pick(['request lost', 'answer lost', 'doubled'] as const) : 'arrives'
    if (isCut || fate === 'request lost') throw new Error('the request was lost')
    const heard = () => ask().catch(asAnswered)
    const asked = Promise.all(fate === 'doubled' ? [heard(), heard()] : [heard()])
    onTheWay.add(asked)
    const [answer] = await asked.finally(() => onTheWay.delete(asked))
    if (isCut || fate === 'answer lost') throw new Error('the answer was lost')
    return answer as T
  }

  return {
    feed: {
      ...feed,
      hello: (gateway) => carry(() => feed.hello(gateway)),
      lease: (gateway, request) => carry(() => feed.lease(gateway, request)),
      leasesOfUsers: (gateway, requests) => carry(() => feed.leasesOfUsers(gateway, requests)),
      report: (report) => carry(() => feed.report(report)),
      heartbeat: (gateway) => carry(() => feed.heartbeat(gateway)),
      subscribe: (listener) =>
        feed.subscribe((event) => {
          if (!isCut && !eventDice.percent(percent)) listener(event)
        }),
    },
    cut: () => (isCut = true),
    calm: () => (percent = 0),
    quiet: async () => void (await Promise.allSettled(onTheWay)),
  }
}
