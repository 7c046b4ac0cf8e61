/** The stream of a customer's new requests (`text/event-stream`), with the headers of a call. */
import type { ListedRequest } from './schemas.ts'

/** It begins behind `Last-Event-ID`, a position of `get_requests` or the id of an event. */
export const liveRequestsPath = '/api/rpc/live_requests'

/** Its events by name, with their data; the id of an event is the position after it. */
export interface LiveEvents {
  requests: {
    requests: ListedRequest[]
    /** Some were left out: the list has them. */
    is_partial: boolean
  }
}
