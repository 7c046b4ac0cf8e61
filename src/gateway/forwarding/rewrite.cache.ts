/**
 * What was worked out for the last messages over a kept connection to a target. Programs ask for the same again and
 * again: of a request often only the first line is new, of an answer only its body.
 */

import { headToKeep, type RequestHead, type ResponseHead } from '../http/head.ts'
import { planOf, type Plan } from './plan.ts'
import { type Forwarding, requestFields, type RequestWay, responseFields, rewriteRequest } from './rewrite.ts'

interface Request {
  head: RequestHead
  authority: string
  forwardedFor: string | null
  upgrade: boolean
  fields: string
  bytes: Buffer
}

interface Response {
  head: ResponseHead
  method: string
  version: string
  canKeep: boolean
  plan: Plan
  fields: string
}

/** Of one connection: every request over it goes the same way, to the same proxy if there is one. */
export class Repeats {
  #request: Request | null = null
  #response: Response | null = null

  /** As `rewriteRequest` makes it. */
  request(head: RequestHead, forwarding: Forwarding, way: RequestWay): Buffer {
    const last = this.#request
    const isSame = last !== null && isRepeated(last, head, forwarding.authority, way)
    if (isSame && last.head === head) return last.bytes
    const fields = isSame ? last.fields : requestFields(head, forwarding, way)
    const bytes = rewriteRequest(head, forwarding, way, fields)
    const { forwardedFor, upgrade } = way
    // How often an OPTIONS may go on stands in its fields, and is another with each step.
    this.#request =
      head.method === 'OPTIONS' || headToKeep(head) === null
        ? null
        : { head, authority: forwarding.authority, forwardedFor, upgrade, fields, bytes }
    return bytes
  }

  /** How an answer goes on, as `planOf` says, and its fields as `responseFields` makes them. */
  response(head: ResponseHead, asked: RequestHead, canKeep: boolean): Pick<Response, 'plan' | 'fields'> {
    const last = this.#response
    const { method, version } = asked
    if (last !== null && last.head === head && last.method === method)
      if (last.version === version && last.canKeep === canKeep) return last
    const plan = planOf(head, asked, canKeep)
    const fields = responseFields(head, plan.dropFraming)
    const response = { head, method, version, canKeep, plan, fields }
    this.#response = headToKeep(head) === null ? null : response
    return response
  }
}

function isRepeated(last: Request, head: RequestHead, authority: string, way: RequestWay): boolean {
  return (
    last.head.fields === head.fields &&
    last.head.version === head.version &&
    last.authority === authority &&
    last.forwardedFor === way.forwardedFor &&
    last.upgrade === way.upgrade &&
    head.method !== 'OPTIONS'
  )
}
