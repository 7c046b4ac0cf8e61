/**
 * A forwarded HTTP request: its head is rewritten, its body and its response are passed on and charged as
 * they go.
 *
 *     client → admission → target → exit → relay → meter → report
 *
 * `forward` does the first step and `Exchange.run` the others. The relay is the exchange itself: `sendHead`,
 * `upload`, `respond`, or `upgrade` when the request turns into a tunnel.
 */

import { performance } from 'node:perf_hooks'
import { type HttpRequest, isRepeatable } from './forwarding/request.ts'
import { type Forwarding, readAbsoluteForm, rewriteResponse, wantsWebsocket } from './forwarding/rewrite.ts'
import {
  badResponse,
  type BreakReason,
  causeOf,
  ExchangeBroken,
  type Purpose,
  type ResponseListener,
  targetClosed,
  TargetConnection,
} from './forwarding/target.connection.ts'
import {
  downloadBody,
  type PartialResponse,
  startBody,
  uploadBody,
  type UploadListener,
} from './forwarding/transfer.ts'
import { BodyFault, bodyReader, type BodyReader } from './http/body.ts'
import { HeadFault, type ResponseHead } from './http/head.ts'
import type { HttpClient, Next } from './http.client.ts'
import type { Charge } from './metering/charge.ts'
import type { WriteOutcome, WriteResult } from './metering/metered.writer.ts'
import { ProxyRefusal } from './responses/refusal.ts'
import type { Flow, Session } from './session.ts'
import type { Stages } from './stages.ts'
import { printTarget } from './targets/target.ts'
import { startTunnel } from './tunnel.ts'

/** Forwards an absolute-form request. Throws the refusal when the target's response has not begun. */
export function forward(client: HttpClient, request: HttpRequest): Promise<Next> {
  const forwarding = (request.forwarding ??= readAbsoluteForm(request.head))
  request.trace.target = printTarget(forwarding.target)
  const run = (session: Session) => new Exchange(client, request, session, forwarding).run()
  const admitted = client.stages.admission.admit(client.client, request.presented, request.trace)
  return admitted instanceof Promise ? admitted.then(run) : run(admitted)
}

/** Whether an error is the gateway's own refusal: 502 and 504 are failures of an exit or the target. */
const isOwn = (error: unknown): boolean =>
  !(error instanceof ProxyRefusal) || (error.parts.status !== 502 && error.parts.status !== 504)

class Exchange implements Flow, ResponseListener, UploadListener {
  readonly #client: HttpClient
  readonly #request: HttpRequest
  readonly #session: Session
  readonly #forwarding: Forwarding
  readonly #stages: Stages
  readonly #charge: Charge
  #target: TargetConnection | null = null
  /** The first failure of either side: later ones follow from it. */
  #broken: BreakReason | null = null
  /** The gateway itself has refused it, before a connection to the target was used. */
  #isRefused = false
  #bodyFault: BodyFault | null = null
  #isUploaded = false
  #isResponding = false
  /** Monotonic milliseconds of the last byte in either direction. */
  activeAt: number
  readonly #downBefore: number

  constructor(client: HttpClient, request: HttpRequest, session: Session, forwarding: Forwarding) {
    this.#client = client
    this.#request = request
    this.#session = session
    this.#forwarding = forwarding
    this.#stages = client.stages
    this.#charge = session.charge
    this.activeAt = session.startedAt
    this.#downBefore = client.writer.bytes
    session.flow = this
  }

  async run(): Promise<Next> {
    this.#client.exchange = this
    try {
      const { target: wanted, path } = this.#forwarding
      const { bytes } = this.#request.head
      const kept = this.#keptConnection()
      const covering = kept === null ? null : this.#stages.targets.reopen(this.#session, wanted, bytes, path)
      if (covering !== null) await covering
      for (let target = kept ?? (await this.#connect()); ; target = await this.#connect()) {
        try {
          const written = this.#sendHead(target)
          this.#check(typeof written === 'string' ? written : await written, 'target_failed')
          const upload = this.#upload(target)
          const { answerMs } = this.#stages.limits
          // Most heads are received in one piece, and each further await costs as much as parsing one.
          let response = target.headIn(await target.read(answerMs, this), this)
          response ??= await target.readHead(answerMs, this)
          if (response.status < 200 && response.status !== 101)
            response = await this.#finalHead(target, response)
          this.#stages.targets.judgeForwarded(target.via, response, this.#session.startedAt)
          this.#answered()
          if (response.status === 101) return await this.#upgrade(target, response)
          const responded = this.#respond(target, response)
          const next = typeof responded === 'string' ? responded : await responded
          if (upload !== null && this.#isUploaded) await upload
          return next
        } catch (error) {
          const cause = causeOf(error)
          if (target !== kept || !this.#isStale(cause)) throw cause
          this.#dropTarget()
          this.#target = null
          this.#charge.restart()
        }
      }
    } catch (error) {
      return await this.#explain(error)
    } finally {
      this.#client.exchange = null
      this.#stages.reports.ended(this.#session, {
        target: printTarget(this.#forwarding.target),
        reason: this.#isRefused ? 'refused' : (this.#broken ?? 'done'),
        ...this.#relayed,
      })
    }
  }

  /**
   * Bytes of a response are received. One that an exit forwards may be the exit's own, and is judged first.
   */
  responding(): void {
    this.activeAt = performance.now()
    if (this.#target?.via.forwards === null) this.#answered()
  }

  /** The target responds: the request is charged. */
  #answered(): void {
    this.#charge.commit(this.activeAt)
    this.#charge.countRequest()
  }

  /** What was relayed so far. */
  get #relayed(): { upBytes: number; downBytes: number } {
    const downBytes = this.#client.writer.bytes - this.#downBefore
    return { upBytes: this.#charge.relayedBytes - downBytes, downBytes }
  }

  uploading(): void {
    this.activeAt = performance.now()
  }

  clientClosed(): void {
    this.stop('client_failed')
    this.#session.stop('cut')
  }

  stop(reason: BreakReason): void {
    this.#broken ??= reason
    this.#dropTarget()
    if (reason !== 'cut' && reason !== 'ended' && reason !== 'idle') return
    this.#client.writer.abandon()
    this.#client.reader.socket.destroy()
  }

  #dropTarget(): void {
    if (this.#target === null) return
    this.#target.drop()
    if (this.#client.target === this.#target) this.#client.target = null
  }

  /** The client's kept connection, when it serves this request; else it is closed. */
  #keptConnection(): TargetConnection | null {
    const kept = this.#client.target
    if (kept === null || kept.serves(this.#purpose())) return kept
    kept.drop()
    this.#client.target = null
    return null
  }

  #purpose(): Purpose {
    return { target: this.#forwarding.target, line: this.#session.admitted }
  }

  /**
   * A target may close a kept connection at any moment; a request that it has not received can be sent again.
   */
  #isStale(cause: unknown): boolean {
    if (!(cause instanceof ExchangeBroken) || cause.reason !== 'target_failed') return false
    return !this.#isResponding && this.#broken === null && isRepeatable(this.#request)
  }

  async #connect(): Promise<TargetConnection> {
    const { target, path } = this.#forwarding
    const via = await this.#stages.targets.open(this.#session, target, this.#request.head.bytes, path)
    const connection = new TargetConnection(via, this.#purpose())
    if (this.#broken === null) return connection
    connection.drop()
    throw new ExchangeBroken(this.#broken)
  }

  #sendHead(target: TargetConnection): WriteOutcome {
    this.#target = target
    this.#client.target = target
    this.#session.uses(target.via)
    const { admitted, clientAddress } = this.#session
    const { forwards } = target.via
    const { head, framing } = this.#request
    const forwardedFor = admitted.targeting.anonymous ? null : clientAddress
    const options = { framing, upgrade: wantsWebsocket(head), forwardedFor, forwards }
    const bytes = target.rewrites.request(head, this.#forwarding, options)
    return target.writer.writeHead(bytes, head.bytes, this.#charge)
  }

  /** Null: there is no body. */
  #upload(target: TargetConnection): Promise<void> | null {
    const body = bodyReader(this.#request.framing, { lenient: false })
    if (body !== null) return this.#uploadBody(target, body)
    this.#isUploaded = true
    return null
  }

  /** Never rejects: a failure closes the target's connection, which ends the wait for the response. */
  async #uploadBody(target: TargetConnection, body: BodyReader): Promise<void> {
    this.#request.bodyBegun = true
    const { reader } = this.#client
    try {
      this.#isUploaded = await uploadBody(body, { reader, target, charge: this.#charge, listener: this })
    } catch (error) {
      if (error instanceof BodyFault) this.#bodyFault = error
      this.stop(error instanceof ExchangeBroken ? error.reason : 'client_failed')
    }
  }

  #check(result: WriteResult, failure: 'target_failed' | 'client_failed'): void {
    if (result === 'sent') this.activeAt = performance.now()
    else throw new ExchangeBroken(result === 'no_traffic' ? 'no_traffic' : failure)
  }

  /** The head of the final response, or of a 101, after an interim one; interim responses are passed on. */
  async #finalHead(target: TargetConnection, interim: ResponseHead): Promise<ResponseHead> {
    for (let head = interim; ; head = await target.readHead(this.#stages.limits.answerMs, this)) {
      if (head.status >= 200 || head.status === 101) return head
      this.#answered()
      // HTTP/1.0 has no interim responses.
      if (this.#request.head.version === '1.0') continue
      const bytes = rewriteResponse(head, { connection: null, applied: null })
      // Part of an interim response cannot be followed by a refusal.
      this.#isResponding = true
      this.#check(await this.#client.writer.write(bytes, this.#charge), 'client_failed')
      this.#isResponding = false
    }
  }

  /** The request turns into a tunnel. */
  async #upgrade(target: TargetConnection, head: ResponseHead): Promise<Next> {
    if (!wantsWebsocket(this.#request.head)) throw new HeadFault(400, 'the target switched protocols unasked')
    const { applied } = this.#session
    const bytes = rewriteResponse(head, { connection: 'upgrade', applied })
    this.#check(await this.#client.writer.write(bytes, this.#charge), 'client_failed')
    this.#isResponding = true
    this.#client.target = null
    this.#client.exchange = null
    const ends = {
      client: this.#client.reader,
      target: target.reader.handOver(),
      name: printTarget(this.#forwarding.target),
      before: this.#relayed,
    }
    await new Promise<void>((resolve) => startTunnel(this.#session, this.#stages.reports, ends, resolve))
    return 'taken'
  }

  /** Passes the response on; at once when all of it was received. */
  #respond(target: TargetConnection, head: ResponseHead): Next | Promise<Next> {
    const { keepAlive, head: requested } = this.#request
    const canKeep = keepAlive && this.#isUploaded && !this.#stages.sessions.isDraining
    const { plan, fields } = target.rewrites.response(head, requested, canKeep)
    const { decode, connection, sent } = plan
    const body = bodyReader(plan.framing, { lenient: true })
    const start = startBody(target, body, decode)
    this.#isResponding = true
    const options = { connection, framing: sent, applied: this.#session.applied }
    const bytes = rewriteResponse(head, options, start.part, fields)
    const written = this.#client.writer.write(bytes, this.#charge)
    if (written === 'sent' && start.done) return this.#responded(target, plan.targetCloses, plan.keeps)
    return this.#respondLater(target, { plan, body, start, written })
  }

  async #respondLater(
    target: TargetConnection,
    { plan, body, start, written }: PartialResponse,
  ): Promise<Next> {
    this.#check(await written, 'client_failed')
    if (start.fault !== null) throw start.fault
    if (!start.done && body !== null) {
      const { idleMs } = this.#stages.limits
      const write = (bytes: Buffer, stable: boolean) => this.#client.writer.write(bytes, this.#charge, stable)
      const checked = (result: WriteResult) => this.#check(result, 'client_failed')
      await downloadBody({
        target,
        body,
        decode: plan.decode,
        idleMs,
        activity: this,
        write,
        written: checked,
      })
    }
    return this.#responded(target, plan.targetCloses, plan.keeps)
  }

  #responded(target: TargetConnection, targetCloses: boolean, keeps: boolean): Next {
    if (targetCloses || target.reader.hasBytes || !this.#isUploaded) this.#dropTarget()
    // When a target responds before the body's end, it is not known where the next request begins.
    return keeps && this.#isUploaded ? 'keep' : 'close'
  }

  /** Turns a failure into a refusal, unless the target's response has begun: then the connection ends. */
  async #explain(error: unknown): Promise<Next> {
    const reason = this.#broken ?? (error instanceof ExchangeBroken ? error.reason : null)
    this.#isRefused = reason === null && this.#target === null && isOwn(error)
    this.#broken = reason ?? 'target_failed'
    this.#dropTarget()
    if (reason === 'client_failed' && this.#bodyFault === null) {
      this.#charge.commit()
      this.#client.reader.socket.destroy()
      return 'close'
    }
    if (reason === 'cut' || reason === 'ended' || reason === 'idle' || this.#isResponding) {
      this.#charge.commit()
      return 'close'
    }
    // The bytes are owed when the customer or the end of the balance ended the transfer. Otherwise a customer
    // could make any upload free by ending it.
    if (this.#bodyFault !== null || reason === 'no_traffic') this.#charge.commit()
    else this.#charge.failed()
    if (this.#bodyFault !== null) throw new HeadFault(400, this.#bodyFault.message)
    if (reason === 'no_traffic') throw this.#session.noTraffic()
    if (reason === 'target_failed') throw targetClosed()
    if (error instanceof HeadFault || error instanceof BodyFault) throw badResponse()
    throw error
  }
}
