/**
 * Server-sent events for the signed-in user. Not with `EventSource`, which can send no headers: the session's
 * token would have to stand in the address, and so in logs.
 */
import { accountHeader } from '#contract/acting/account'
import { viewHeader } from '#contract/view'
import { currentLanguage } from '../../state/i18n.ts'
import { session } from '../../state/session.ts'
import { view } from '../../state/view.ts'

export interface StreamEvent {
  id: string
  type: string
  data: string
}

/** Splits a stream of text into its events (HTML Standard, section 9.2.6); comments are left out. */
export class EventParser {
  #text = ''

  /** The events that are complete by now. */
  add(text: string): StreamEvent[] {
    this.#text += text
    const events: StreamEvent[] = []
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      const event = eventOf(this.#text.slice(0, end))
      this.#text = this.#text.slice(end + 2)
      if (event !== null) events.push(event)
    }
    return events
  }
}

function eventOf(block: string): StreamEvent | null {
  const event: StreamEvent = { id: '', type: 'message', data: '' }
  for (const line of block.split('\n')) {
    const [name, value] = [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).replace(/^ /, ''),
    ]
    if (name === 'id') event.id = value
    else if (name === 'event') event.type = value
    else if (name === 'data') event.data += value
  }
  return event.data === '' ? null : event
}

export interface StreamOptions {
  /** The id of the last event known, after which the stream begins. */
  after: string
  onEvent: (event: StreamEvent) => void
  /** Whether the stream is open. */
  onOpen: (isOpen: boolean) => void
  signal: AbortSignal
}

const shortestPauseMs = 1_000
const longestPauseMs = 30_000

/**
 * Reads a stream until it is aborted; after a lost connection it continues behind the last event. Ends when
 * the server refuses it.
 */
export async function readEvents(path: string, options: StreamOptions): Promise<void> {
  const { signal, onOpen } = options
  let after = options.after
  for (let pauseMs = shortestPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const response = await fetch(path, { signal, headers: headersFor(after), cache: 'no-store' })
      if (response.status === 401 || response.status === 403 || response.status === 409) return
      if (response.ok && response.body !== null) {
        onOpen(true)
        const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader()
        const parser = new EventParser()
        for (let read = await chunks.read(); !read.done; read = await chunks.read())
          for (const event of parser.add(read.value)) {
            pauseMs = shortestPauseMs
            if (event.id !== '') after = event.id
            options.onEvent(event)
          }
      }
    } catch (error) {
      // The connection was lost, or it is aborted.
      if (!(error instanceof TypeError || error instanceof DOMException)) throw error
    }
    if (!signal.aborted) onOpen(false)
    // A random delay, so that not all browsers reconnect at once.
    await pause(pauseMs * (0.5 + Math.random()), signal)
  }
}

function headersFor(after: string): Record<string, string> {
  const user = session.get()
  return {
    'accept-language': currentLanguage(),
    'last-event-id': after,
    ...(view === null
      ? user === null
        ? {}
        : { authorization: `Bearer ${user.token}`, [accountHeader]: String(user.user_id) }
      : { [viewHeader]: view.id }),
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
