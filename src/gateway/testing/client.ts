/** A client that writes raw bytes and collects what it receives. */

import { connect, type Socket } from 'node:net'

export class RawClient {
  readonly socket: Socket
  received: Buffer = Buffer.alloc(0)
  ended = false
  closed = false
  failed: Error | null = null
  #chunks: Buffer[] = []
  #changed: (() => void)[] = []

  /** Connects to a port of this machine, or uses an open socket. */
  constructor(to: number | Socket) {
    this.socket =
      typeof to === 'number'
        ? connect({ host: '127.0.0.1', port: to, allowHalfOpen: true, noDelay: true })
        : to
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#tell()
    })
    this.socket.on('end', () => {
      this.ended = true
      this.#tell()
    })
    this.socket.on('error', (fault) => (this.failed = fault))
    this.socket.on('close', () => {
      this.closed = true
      this.#tell()
    })
  }

  /** Everything received so far. */
  get bytes(): Buffer {
    if (this.#chunks.length > 0) {
      this.received = Buffer.concat([this.received, ...this.#chunks])
      this.#chunks = []
    }
    return this.received
  }

  get text(): string {
    return this.bytes.toString('latin1')
  }

  write(data: string | Buffer): void {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
  }

  /** Waits until the condition holds; throws after the deadline, with what was received. */
  async until(condition: () => boolean, what: string, deadlineMs = 30_000): Promise<void> {
    const deadline = performance.now() + deadlineMs
    while (!condition()) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0)
        throw new Error(`timed out waiting for ${what}; got ${JSON.stringify(this.text.slice(0, 500))}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(leftMs, 50))
        this.#changed.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  /** Asks for a tunnel, with these further header lines, and waits for the answer. */
  async connect(target: string, fields = ''): Promise<this> {
    this.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${fields}\r\n`)
    await this.until(() => this.text.includes('\r\n\r\n') || this.closed, 'the answer to CONNECT')
    return this
  }

  /** The status of the first answer, as digits. */
  get status(): string | undefined {
    return /^HTTP\/1.1 (\d+)/.exec(this.text)?.[1]
  }

  async untilEnd(deadlineMs?: number): Promise<void> {
    await this.until(() => this.ended || this.closed, 'the end', deadlineMs)
  }

  destroy(): void {
    this.socket.destroy()
  }

  #tell(): void {
    const changed = this.#changed
    this.#changed = []
    for (const listener of changed) listener()
  }
}
