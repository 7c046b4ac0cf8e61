/** Two gateways on one feed; the second one can be cut off from what is announced. */
import type { Feed, FeedEvent } from '#feed'
import { type Bench, startBench } from './bench.ts'

export interface TwoGateways {
  benches: [Bench, Bench]
  /** Whether the second gateway hears nothing. */
  isCutOff: boolean
  /** Notifies the second gateway alone. */
  tellSecond: (event: FeedEvent) => void
}

/** Starts two gateways, whose names begin with these letters. */
export async function startTwoGateways(feed: Feed, letters: string): Promise<TwoGateways> {
  const listening: { listener?: (event: FeedEvent) => void } = {}
  const second: Feed = {
    ...feed,
    subscribe(listener) {
      listening.listener = listener
      return feed.subscribe((event) => {
        if (!two.isCutOff) listener(event)
      })
    },
  }
  const two: Omit<TwoGateways, 'benches'> = {
    isCutOff: false,
    tellSecond: (event) => listening.listener?.(event),
  }
  const benches: [Bench, Bench] = [
    await startBench({ feed, gateway: `${letters}1` }),
    await startBench({ feed: second, gateway: `${letters}2` }),
  ]
  return Object.assign(two, { benches })
}
