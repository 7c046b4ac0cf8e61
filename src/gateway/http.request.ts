/** Forwarding one HTTP request: its head rewritten, its body and its answer passed on and charged as they go. */

import { performance } from 'node:perf_hooks'
import { admit } from './admission/admission.ts'
import { type Answering, beginBody, passBody } from './forwarding/transfer.ts'
import { BodyFault, bodyReader, type BodyReader } from './http/body.ts'
import { carry, handOver } from './tunnel.ts'
import type { Charge } from './metering/charge.ts'
import { endSession, needTraffic, noTraffic, openTarget, type Engine } from './engine.ts'
import { HeadFault, type ResponseHead } from './http/head.ts'
import { allowTarget } from './limits/host.limits.ts'
import type { Plan } from './forwarding/plan.ts'
import type { RelayReason } from './relay.ts'
import { readAbsoluteForm, rewriteResponse, wantsWebsocket, type Forwarding } from './forwarding/rewrite.ts'
import type { HttpRequest } from './forwarding/request.ts'
import { isRepeatable, keptFor, purposeOf } from './forwarding/reuse.ts'
import type { Outcome, Sent } from './metering/metered.writer.ts'
import type { HttpClient, Next } from './http.connection.ts'
import { printTarget } from './targets/target.ts'
import type { Flow, Session } from './sessions.ts'
import { uploadBody } from './forwarding/upload.ts'
import { badAnswer, Broken, faultOf, targetClosed, Upstream } from './forwarding/target.connection.ts'
import { judgeForwarder } from './exits/connect.ts'

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
  #activeAt: number
  readonly #upBefore: number
  #upBytes = 0

  constructor(client: HttpClient, request: HttpRequest, session: Session, forwarding: Forwarding) {
    this.#client = client
    this.#request = request
    this.#session = session
    this.#forwarding = forwarding
    this.#engine = client.engine
    this.#charge = session.charge
    this.#activeAt = session.startedAt
    this.#upBefore = client.sender.bytes
    session.flow = this
  }

  get activeAt(): number {
    return this.#activeAt
  }

  /** The target has said something: the request is one that is paid for. */
  heard(): void {
    this.#activeAt = performance.now()
    this.#charge.commit(this.#activeAt)
    this.#charge.countRequest()
  }

  read(): void {
    this.#activeAt = performance.now()
  }

  passed(bytes: number): void {
    this.#upBytes += bytes
  }

  clientGone(): void {
    this.#stop('client_failed')
    this.#session.stop('cut')
  }

  stop(reason: 'idle' | 'cut'): void {
    this.#stop(reason)
  }

  async run(): Promise<Next> {
    this.#client.exchange = this
    try {
      const kept = keptFor(this.#client, purposeOf(this.#session, this.#forwarding.target))
      const waiting = kept === null ? null : this.#mayGoOn()
      if (waiting !== null) await waiting
      for (let upstream = kept ?? (await this.#connect()); ; upstream = await this.#connect()) {
        try {
          const sent = this.#sendHead(upstream)
          this.#check(typeof sent === 'string' ? sent : await sent, 'target_failed')
          this.#upBytes += this.#request.head.bytes
          const upload = this.#upload(upstream)
          const { answerMs } = this.#engine.limits
          // Mostly a head comes in one piece; each step that waits costs as much as reading it.
          let answer = upstream.headIn(await upstream.read(answerMs, this), this)
          answer ??= await upstream.readHead(answerMs, this)
          if (answer.status < 200 && answer.status !== 101) answer = await this.#finalHead(upstream, answer)
          judgeForwarder(this.#engine.exits, upstream.way, answer, this.#session.startedAt)
          if (answer.status === 101) return await this.#switch(upstream, answer)
          const answered = this.#answer(upstream, answer)
          const next = typeof answered === 'string' ? answered : await answered
          if (upload !== null && this.#uploaded) await upload
          return next
        } catch (thrown) {
          const fault = faultOf(thrown)
          if (upstream !== kept || !this.#isStale(fault)) throw fault
          this.#dropUpstream()
          this.#charge.restart()
          this.#upBytes = 0
        }
      }
    } catch (fault) {
      return await this.#explain(fault)
    } finally {
      this.#client.exchange = null
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

  /** What a new connection would be asked: may it go there, and is it paid for? Null: it may, at once. */
  #mayGoOn(): Promise<void> | null {
    allowTarget(this.#session, this.#forwarding.target)
    const { bytes } = this.#request.head
    return this.#charge.covers(bytes) ? null : needTraffic(this.#engine, this.#session, bytes)
  }

  /** A target may close a kept connection at any moment; a request it has not seen can be sent again. */
  #isStale(fault: unknown): boolean {
    if (!(fault instanceof Broken) || fault.reason !== 'target_failed') return false
    return !this.#answerBegun && this.#broken === null && isRepeatable(this.#request)
  }

  async #connect(): Promise<Upstream> {
    const { target } = this.#forwarding
    const way = await openTarget(this.#engine, this.#session, target, this.#request.head.bytes, true)
    const upstream = new Upstream(way, purposeOf(this.#session, target))
    if (this.#broken !== null) {
      upstream.drop()
      throw new Broken(this.#broken)
    }
    return upstream
  }

  #sendHead(upstream: Upstream): Outcome {
    this.#upstream = upstream
    this.#client.upstream = upstream
    const { trace, targeting, clientAddress } = this.#session.parts
    const { country, exit, forwards } = upstream.way
    trace.country = country
    trace.exit = exit.id
    const { head } = this.#request
    const forwardedFor = targeting.anonymous ? null : clientAddress
    const way = { upgrade: wantsWebsocket(head), forwardedFor, forwards }
    const bytes = upstream.repeats.request(head, this.#forwarding, way)
    return upstream.sender.sendAs(bytes, head.bytes, this.#charge)
  }

  /** Null: there is nothing to pass on. */
  #upload(upstream: Upstream): Promise<void> | null {
    const reader = bodyReader(this.#request.framing, { lenient: false })
    if (reader !== null) return this.#uploadBody(upstream, reader)
    this.#uploaded = true
    return null
  }

  /** Passes the body on. Never throws: what goes wrong ends the connection, and with it the wait for the answer. */
  async #uploadBody(upstream: Upstream, reader: BodyReader): Promise<void> {
    this.#request.bodyBegun = true
    const { inlet } = this.#client
    try {
      this.#uploaded = await uploadBody(reader, { inlet, upstream, charge: this.#charge, progress: this })
    } catch (fault) {
      if (fault instanceof BodyFault) this.#bodyFault = fault
      this.#stop(fault instanceof Broken ? fault.reason : 'client_failed')
    }
  }

  #check(sent: Sent, whose: 'target_failed' | 'client_failed'): void {
    if (sent === 'sent') this.#activeAt = performance.now()
    else throw new Broken(sent === 'no_traffic' ? 'no_traffic' : whose)
  }

  /** The head of the final answer, or of a 101, behind an interim one; interim answers are passed on. */
  async #finalHead(upstream: Upstream, interim: ResponseHead): Promise<ResponseHead> {
    for (let head = interim; ; head = await upstream.readHead(this.#engine.limits.answerMs, this)) {
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

  async #switch(upstream: Upstream, head: ResponseHead): Promise<Next> {
    if (!wantsWebsocket(this.#request.head)) throw new HeadFault(400, 'the target switched protocols unasked')
    const { applied } = this.#session
    const bytes = rewriteResponse(head, { connection: 'upgrade', dropFraming: 'length', applied })
    this.#check(await this.#client.sender.send(bytes, this.#charge), 'client_failed')
    this.#answerBegun = true
    this.#client.upstream = null
    this.#client.exchange = null
    const ends = {
      inlet: this.#client.inlet,
      target: handOver(upstream.inlet),
      name: printTarget(this.#forwarding.target),
      before: { upBytes: this.#upBytes, downBytes: this.#client.sender.bytes - this.#upBefore },
    }
    await new Promise<void>((resolve) => carry(this.#engine, this.#session, ends, resolve))
    return 'taken'
  }

  /** Passes the answer on; at once when all of it is here. */
  #answer(upstream: Upstream, head: ResponseHead): Next | Promise<Next> {
    const { keepAlive, head: asked } = this.#request
    const canKeep = keepAlive && this.#uploaded && !this.#engine.stopping
    const { plan, fields } = upstream.repeats.response(head, asked, canKeep)
    const { decode, connection, dropFraming } = plan
    const reader = bodyReader(plan.framing, { lenient: true })
    const beginning = beginBody(upstream, reader, decode)
    this.#answerBegun = true
    const way = { connection, dropFraming, applied: this.#session.applied }
    const sent = this.#client.sender.send(rewriteResponse(head, way, beginning.part, fields), this.#charge)
    if (sent === 'sent' && beginning.done) return this.#answered(upstream, plan)
    return this.#answerOn(upstream, { plan, reader, beginning, sent })
  }

  async #answerOn(upstream: Upstream, { plan, reader, beginning, sent }: Answering): Promise<Next> {
    this.#check(await sent, 'client_failed')
    if (beginning.fault !== null) throw beginning.fault
    if (!beginning.done && reader !== null) {
      const { idleMs } = this.#engine.limits
      const send = async (bytes: Buffer) =>
        this.#check(await this.#client.sender.send(bytes, this.#charge), 'client_failed')
      await passBody({ upstream, reader, decode: plan.decode, idleMs, activity: this, send })
    }
    return this.#answered(upstream, plan)
  }

  #answered(upstream: Upstream, { targetCloses, keeps }: Plan): Next {
    if (targetCloses || upstream.inlet.waiting || !this.#uploaded) this.#dropUpstream()
    // A target that answered without waiting for the body's end: nobody knows where the next request begins.
    return keeps && this.#uploaded ? 'keep' : 'close'
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
export function forward(client: HttpClient, request: HttpRequest): Promise<Next> {
  const forwarding = (request.forwarding ??= readAbsoluteForm(request.head))
  request.trace.target = printTarget(forwarding.target)
  const run = (session: Session) => new Exchange(client, request, session, forwarding).run()
  const admitted = admit(client.engine, client.visitor, request.presented, request.trace)
  return admitted instanceof Promise ? admitted.then(run) : run(admitted)
}
