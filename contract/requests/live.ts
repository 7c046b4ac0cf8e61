/** The stream of a customer's new requests (`text/event-stream`), with the headers of a call. */
import type { ListedRequest } from './schemas.ts'

/** The stream begins after `Last-Event-ID`: a position of `get_requests`, or the id of an event. */
export const liveRequestsPath = '/api/rpc/live_requests'

/** The events of the stream by name, with their data. The id of an event is the position after it. */
export interface LiveEvents {
  requests: {
    requests: ListedRequest[]
    /** The event leaves some requests out; `get_requests` returns them. */
    is_partial: boolean
  }
}
