/**
 * The stream of a customer's new requests: server-sent events (HTML Standard, section 9.2), with the
 * authority of a call.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openAmong } from '#accounts'
import { type LiveEvents, liveRequestsPath } from '#contract/requests/live'
import type { Name } from '#contract/wire'
import type { Database } from '#db'
import type { Caller, Context } from '#db/call'
import { Refusal } from '#lib/refusal'
import { listedOnWire, LiveRequests, type News } from '#requests'
import { roleMay } from '../team/acting.ts'
import { withoutSecrets } from '../view/mask.ts'
import { callerInView, type ViewOptions } from '../view/view.ts'

/** How often the sessions of streams are checked; a session that has ended receives nothing more. */
const checkMs = 5_000
/** Proxies on the way close connections that are silent for a minute. */
const checksPerHeartbeat = 3
/** A reader with more unread bytes than this is disconnected. */
const mostWaitingBytes = 256 * 1024

/** Admits a request outside of the contract as if it made a call. */
export type Admit = (name: Name, request: FastifyRequest, reply: FastifyReply) => Promise<Context>

interface LiveOptions extends ViewOptions {
  admit: Admit
  database: Database
}

interface OpenStream {
  caller: Caller
  request: FastifyRequest
  events: Readable
}

/** Serves the stream; without `Last-Event-ID` it begins at the current time. */
export function mountLive(server: FastifyInstance, { admit, ...options }: LiveOptions): void {
  const { database, now } = options
  const live = new LiveRequests(database, {
    now,
    onFault: (fault) => server.log.error({ err: fault }, 'the streams of requests have ended'),
  })
  const streams = new Set<OpenStream>()
  let checks = 0
  const timer = setInterval(() => {
    if (++checks % checksPerHeartbeat === 0) for (const { events } of streams) push(events, ':\n\n')
    endOthers(streams, options).catch((fault: unknown) => {
      server.log.error({ err: fault }, 'the sessions of streams cannot be looked up')
      for (const { events } of streams) events.destroy()
    })
  }, checkMs).unref()
  server.addHook('preClose', async () => {
    clearInterval(timer)
    for (const { events } of streams) events.destroy()
    await live.close()
  })
  server.get(liveRequestsPath, { exposeHeadRoute: false }, async (request, reply) => {
    const { account } = await admit('get_requests', request, reply)
    if (account === null) throw new Refusal('unauthorized')
    if (account.reseller !== undefined) throw new Refusal('not_for_reseller_token')
    const given = request.headers['last-event-id']
    const events = new Readable({ read: () => undefined })
    const end = await live.open(
      { account: account.id, position: typeof given === 'string' && given !== '' ? given : null },
      { send: (news) => push(events, newsOf(news, account)), end: () => events.destroy() },
    )
    const stream = { caller: account, request, events }
    streams.add(stream)
    const over = () => {
      if (streams.delete(stream)) end()
    }
    events.once('close', over)
    reply.raw.once('close', () => events.destroy())
    // The client may have closed the connection while the stream was being opened.
    if (reply.raw.destroyed) events.destroy()
    events.push('retry: 2000\n\n')
    return sendEvents(reply, events)
  })
}

const sendEvents = (reply: FastifyReply, events: Readable) =>
  reply
    .header('cache-control', 'no-store, no-transform')
    // Tells nginx not to buffer the stream.
    .header('x-accel-buffering', 'no')
    .type('text/event-stream; charset=utf-8')
    .send(events)

const newsOf = ({ requests, isPartial, position }: News, { view }: Caller) =>
  printed('requests', { requests: requests.map(listedOnWire), is_partial: isPartial }, { id: position, view })

/** An event as it is sent; staff in a view get it without secrets. */
function printed<Event extends keyof LiveEvents>(
  event: Event,
  data: LiveEvents[Event],
  { id, view }: { id: string; view: Caller['view'] | undefined },
): string {
  const text = JSON.stringify(view === undefined ? data : withoutSecrets(data))
  return `id: ${id}\nevent: ${event}\ndata: ${text}\n\n`
}

function push(events: Readable, text: string): void {
  if (events.destroyed) return
  if (events.readableLength > mostWaitingBytes) events.destroy()
  else events.push(text)
}

/**
 * Ends the streams of sessions and views that are over, and of sessions that no longer act on the account or
 * whose role no longer allows it.
 */
async function endOthers(streams: ReadonlySet<OpenStream>, options: LiveOptionsOfViews): Promise<void> {
  if (streams.size === 0) return
  const all = [...streams]
  const hashes = all.flatMap(({ caller }) => (caller.view === undefined ? [caller.tokenSha256] : []))
  const open = await openAmong(options.database.db, hashes, options.now())
  for (const { caller, request, events } of all)
    if (caller.view === undefined) {
      const session = open.get(caller.tokenSha256.toString('hex'))
      const isOpen = session?.accountId === caller.id && roleMay('get_requests', session.role)
      if (!isOpen) events.destroy()
    } else if (!(await isViewOpen(request, options))) events.destroy()
}

type LiveOptionsOfViews = Omit<LiveOptions, 'admit'>

async function isViewOpen(request: FastifyRequest, options: ViewOptions): Promise<boolean> {
  try {
    await callerInView(request, options)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
