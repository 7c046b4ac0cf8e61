/** Forwarding one HTTP request: its head rewritten, its body and its answer passed on and charged as they go. */

import { admit } from './admit.ts'
import { passAnswer } from './answer.ts'
import { BodyFault, bodyReader } from './body.ts'
import { carry, handOver } from './carry.ts'
import type { Charge } from './charge.ts'
import { endSession, needTraffic, noTraffic, openTarget, type Engine } from './engine.ts'
import { HeadFault, listOf, responseFraming, type ResponseHead } from './head.ts'
import { allowTarget } from './limits.ts'
import type { RelayReason } from './relay.ts'
import {
  readAbsoluteForm,
  reuseKey,
  rewriteRequest,
  rewriteResponse,
  wantsWebsocket,
  type Forwarding,
} from './rewrite.ts'
import type { Sent } from './send.ts'
import type { HttpClient, HttpRequest, Next } from './serve.http.ts'
import { printTarget } from './target.ts'
import type { Flow, Session } from './tunnels.ts'
import { badAnswer, Broken, targetClosed, Upstream } from './upstream.ts'
import { judgeForwarder } from './way.out.ts'

const RETRIABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

class Exchange implements Flow {
  readonly #client: HttpClient
  readonly #request: HttpRequest
  readonly #session: Session
  readonly #forwarding: Forwarding
  readonly #engine: Engine
  readonly #charge: Charge
  #upstream: Upstream | null = null
  /** The first thing that went wrong on either side; it explains whatever fails after it. */
  #broken: RelayReason | null = null
  #bodyFault: BodyFault | null = null
  #uploaded = false
  #answerBegun = false
  #activeAt = performance.now()
  readonly #upBefore: number
  #upBytes = 0
  readonly #lastActive = () => this.#activeAt
  /** The target has said something: the request is one that is paid for. */
  readonly #heard = () => {
    this.#activeAt = performance.now()
    this.#charge.commit()
    this.#charge.countRequest()
  }
  readonly #clientGone = () => {
    this.#stop('client_failed')
    this.#session.stop('cut')
  }

  constructor(client: HttpClient, request: HttpRequest, session: Session, forwarding: Forwarding) {
    this.#client = client
    this.#request = request
    this.#session = session
    this.#forwarding = forwarding
    this.#engine = client.engine
    this.#charge = session.charge
    this.#upBefore = client.sender.bytes
    session.flow = this
  }

  get activeAt(): number {
    return this.#activeAt
  }

  stop(reason: 'idle' | 'cut'): void {
    this.#stop(reason)
  }

  async run(): Promise<Next> {
    this.#client.inlet.socket.on('close', this.#clientGone)
    try {
      return await this.#attempts()
    } catch (fault) {
      return await this.#explain(fault)
    } finally {
      this.#client.inlet.socket.off('close', this.#clientGone)
      endSession(this.#engine, this.#session, {
        target: printTarget(this.#forwarding.target),
        reason: this.#broken ?? 'done',
        upBytes: this.#upBytes,
        downBytes: this.#client.sender.bytes - this.#upBefore,
      })
    }
  }

  #stop(reason: RelayReason): void {
    this.#broken ??= reason
    this.#dropUpstream()
    if (reason !== 'cut' && reason !== 'idle') return
    this.#client.sender.abandon()
    this.#client.inlet.socket.destroy()
  }

  #dropUpstream(): void {
    if (this.#upstream === null) return
    this.#upstream.drop()
    if (this.#client.upstream === this.#upstream) this.#client.upstream = null
  }

  async #attempts(): Promise<Next> {
    const kept = this.#reusable()
    if (kept !== null) {
      allowTarget(this.#session, this.#forwarding.target)
      await needTraffic(this.#engine, this.#session, this.#request.head.bytes)
      try {
        return await this.#exchange(kept)
      } catch (fault) {
        // A target may close a kept connection at any moment; a request it has not seen can be sent again.
        const stale = fault instanceof Broken && fault.reason === 'target_failed' && !this.#answerBegun
        const repeatable = this.#request.framing.kind === 'none' && RETRIABLE.has(this.#request.head.method)
        if (!stale || !repeatable || this.#broken !== null) throw fault
        this.#dropUpstream()
        this.#charge.restart()
        this.#upBytes = 0
      }
    }
    return await this.#exchange(await this.#connect())
  }

  #reusable(): Upstream | null {
    const { upstream } = this.#client
    if (upstream === null) return null
    if (upstream.serves(this.#key())) return upstream
    upstream.drop()
    this.#client.upstream = null
    return null
  }

  #key(): string {
    return reuseKey(this.#forwarding.target, this.#session.parts)
  }

  async #connect(): Promise<Upstream> {
    const { target } = this.#forwarding
    const way = await openTarget(this.#engine, this.#session, target, this.#request.head.bytes, true)
    const upstream = new Upstream(way, this.#key())
    if (this.#broken !== null) {
      upstream.drop()
      throw new Broken(this.#broken)
    }
    return upstream
  }

  async #exchange(upstream: Upstream): Promise<Next> {
    this.#upstream = upstream
    this.#client.upstream = upstream
    const { trace } = this.#session.parts
    trace.country = upstream.way.country
    trace.exit = upstream.way.exit.id
    const { head } = this.#request
    const upgrade = wantsWebsocket(head)
    const { targeting, clientAddress } = this.#session.parts
    const forwardedFor = targeting.anonymous ? null : clientAddress
    const { forwards } = upstream.way
    const bytes = rewriteRequest(head, this.#forwarding, { upgrade, forwardedFor, forwards })
    this.#check(await upstream.sender.sendAs(bytes, head.bytes, this.#charge), 'target_failed')
    this.#upBytes += head.bytes
    const upload = this.#upload(upstream)
    const answer = await this.#answerHead(upstream)
    judgeForwarder(this.#engine.exits, upstream.way, answer, performance.now() - this.#session.startedAt)
    if (answer.status === 101) return await this.#switch(upstream, answer, upgrade)
    const next = await this.#answer(upstream, answer)
    if (!this.#uploaded) {
      // The target answered without waiting for the body's end; nobody knows where the next request begins.
      this.#dropUpstream()
      return 'close'
    }
    await upload
    return next
  }

  /** Passes the body on. Never throws: what goes wrong ends the connection, and with it the wait for the answer. */
  async #upload(upstream: Upstream): Promise<void> {
    const reader = bodyReader(this.#request.framing, { lenient: false })
    try {
      for (let done = reader === null; !done;) {
        this.#request.bodyBegun = true
        const chunk = await this.#client.inlet.read()
        if (chunk === null || reader === null) throw new Broken('client_failed')
        const taken = reader.take(chunk)
        this.#client.inlet.unread(chunk.subarray(taken.used))
        done = taken.done
        this.#activeAt = performance.now()
        const sent = await upstream.sender.send(chunk.subarray(0, taken.used), this.#charge)
        // A target that reads no further may have answered all the same: its answer is worth waiting for.
        if (sent === 'broken') return
        if (sent === 'no_traffic') throw new Broken('no_traffic')
        this.#upBytes += taken.used
      }
      this.#uploaded = true
    } catch (fault) {
      if (fault instanceof BodyFault) this.#bodyFault = fault
      this.#stop(fault instanceof Broken ? fault.reason : 'client_failed')
    }
  }

  #check(sent: Sent, whose: 'target_failed' | 'client_failed'): void {
    if (sent === 'sent') this.#activeAt = performance.now()
    else throw new Broken(sent === 'no_traffic' ? 'no_traffic' : whose)
  }

  /** The head of the final answer, or of a 101; other interim answers are passed on. */
  async #answerHead(upstream: Upstream): Promise<ResponseHead> {
    for (;;) {
      const head = await upstream.readHead(this.#engine.limits.answerMs, this.#lastActive, this.#heard)
      if (head.status >= 200 || head.status === 101) return head
      // HTTP/1.0 knows no interim answers.
      if (this.#request.head.version === '1.0') continue
      const bytes = rewriteResponse(head, { connection: null, dropFraming: null, applied: null })
      // Half of an interim answer cannot be followed by an answer of ours.
      this.#answerBegun = true
      this.#check(await this.#client.sender.send(bytes, this.#charge), 'client_failed')
      this.#answerBegun = false
    }
  }

  async #switch(upstream: Upstream, head: ResponseHead, asked: boolean): Promise<Next> {
    if (!asked) throw new HeadFault(400, 'the target switched protocols unasked')
    const { applied } = this.#session
    const bytes = rewriteResponse(head, { connection: 'upgrade', dropFraming: 'length', applied })
    this.#check(await this.#client.sender.send(bytes, this.#charge), 'client_failed')
    this.#answerBegun = true
    this.#client.upstream = null
    this.#client.inlet.socket.off('close', this.#clientGone)
    const ends = {
      inlet: this.#client.inlet,
      target: handOver(upstream.inlet),
      name: printTarget(this.#forwarding.target),
    }
    await new Promise<void>((resolve) => carry(this.#engine, this.#session, ends, resolve))
    return 'taken'
  }

  async #answer(upstream: Upstream, head: ResponseHead): Promise<Next> {
    const request = this.#request
    const framing = responseFraming(head, request.head.method)
    const old = request.head.version === '1.0'
    const decode = framing.kind === 'chunked' && old
    const keepClient =
      request.keepAlive && framing.kind !== 'close' && !decode && this.#uploaded && !this.#engine.stopping
    const hasCoding = head.fields.some((field) => field.key === 'transfer-encoding')
    const bytes = rewriteResponse(head, {
      connection: keepClient ? (old ? 'keep-alive' : null) : 'close',
      dropFraming: decode ? 'coding' : hasCoding ? 'length' : null,
      applied: this.#session.applied,
    })
    this.#answerBegun = true
    await passAnswer({
      upstream,
      head: bytes,
      reader: bodyReader(framing, { lenient: true }),
      decode,
      idleMs: this.#engine.limits.idleMs,
      activeAt: this.#lastActive,
      send: async (part) => this.#check(await this.#client.sender.send(part, this.#charge), 'client_failed'),
    })
    const closes = listOf(head.fields, 'connection').includes('close') || head.version === '1.0'
    if (closes || framing.kind === 'close' || upstream.inlet.waiting || !this.#uploaded) this.#dropUpstream()
    return keepClient ? 'keep' : 'close'
  }

  /** Turns a fault into an answer, as long as the target's own has not begun; else the connection ends. */
  async #explain(fault: unknown): Promise<Next> {
    const reason = this.#broken ?? (fault instanceof Broken ? fault.reason : null)
    this.#broken = reason ?? 'target_failed'
    this.#dropUpstream()
    if (reason === 'client_failed' && this.#bodyFault === null) {
      this.#charge.commit()
      this.#client.inlet.socket.destroy()
      return 'close'
    }
    if (reason === 'cut' || reason === 'idle' || this.#answerBegun) {
      this.#charge.commit()
      return 'close'
    }
    // Only a target's failure is free; else a customer could end any upload so that it costs nothing.
    if (this.#bodyFault !== null || reason === 'no_traffic') this.#charge.commit()
    else this.#charge.forgive()
    if (this.#bodyFault !== null) throw new HeadFault(400, this.#bodyFault.message)
    if (reason === 'no_traffic') throw noTraffic(this.#session)
    if (reason === 'target_failed') throw targetClosed()
    if (fault instanceof HeadFault || fault instanceof BodyFault) throw badAnswer()
    throw fault
  }
}

/** Forwards an absolute-form request. Throws what to answer when the target's own answer has not begun. */
export async function forward(client: HttpClient, request: HttpRequest): Promise<Next> {
  const forwarding = readAbsoluteForm(request.head)
  request.trace.target = printTarget(forwarding.target)
  const session = await admit(client.engine, client.visitor, request.presented, request.trace)
  return await new Exchange(client, request, session, forwarding).run()
}
