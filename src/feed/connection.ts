/** One stream to one server: the version of the frames, the server's state, and its liveness. */

import type { Duplex } from 'node:stream'
import { type Frame, readFrames, writeFrame } from './frames.ts'
import { ourVersions, sharedVersion, versionsDiffer } from './version.ts'

/** The number of pings without any data from the server after which it is lost. */
const MOST_SILENT_PINGS = 4

export interface ConnectionOptions {
  /** The server's index in the list. */
  server: number
  /** The interval of pings; null: none are sent. */
  pingMs: number | null
  onFrame: (frame: Frame, from: FeedConnection) => void
  /** Called when the server has reported that it has a fault, or that the fault has ended. */
  onState: (from: FeedConnection) => void
  /** The stream has closed. */
  onClosed: (from: FeedConnection, error: Error | null) => void
}

export class FeedConnection {
  readonly server: number
  /** When it was opened, monotonic milliseconds. */
  readonly openedAt = performance.now()
  /** When the server answered a call last. */
  answeredAt = -Infinity
  /** The fault that the server has reported; null: none. */
  fault: string | null = null
  readonly #stream: Duplex
  readonly #options: ConnectionOptions
  #timer: NodeJS.Timeout | null = null
  #silentPings = 0
  #error: Error | null = null

  /** Takes an open stream. Frames are received from the next turn of the event loop on. */
  constructor(stream: Duplex, options: ConnectionOptions) {
    this.server = options.server
    this.#stream = stream
    this.#options = options
    stream.on('error', (error) => (this.#error = error))
    stream.on('end', () => stream.destroy())
    stream.on('close', () => {
      if (this.#timer !== null) clearInterval(this.#timer)
      options.onClosed(this, this.#error)
    })
    this.send({ hello: ourVersions })
    readFrames(stream, (frame) => this.#receive(frame))
  }

  send(frame: Frame): void {
    writeFrame(this.#stream, frame)
  }

  /** Ends it; `onClosed` is called with the error. */
  close(error?: Error): void {
    this.#stream.destroy(error)
  }

  #receive(frame: Frame): void {
    this.#silentPings = 0
    if ('hello' in frame) {
      if (sharedVersion(ourVersions, frame.hello) === null)
        this.close(new Error(versionsDiffer(ourVersions, frame.hello)))
      else this.#startPings()
    } else if ('state' in frame) {
      this.fault = frame.state.fault
      this.#options.onState(this)
    } else {
      this.#options.onFrame(frame, this)
    }
  }

  /**
   * Counts pings instead of time: after this process was blocked, received data is read before the next ping.
   */
  #startPings(): void {
    const { pingMs } = this.#options
    if (pingMs === null || this.#timer !== null) return
    let received = -1
    this.#timer = setInterval(() => {
      // A part of a long frame proves liveness too.
      const bytes = (this.#stream as { bytesRead?: number }).bytesRead ?? 0
      if (bytes !== received) this.#silentPings = 0
      received = bytes
      if (this.#silentPings >= MOST_SILENT_PINGS)
        this.close(new Error('the other end of the feed fell silent'))
      else this.send({ ping: ++this.#silentPings })
    }, pingMs).unref()
  }
}
