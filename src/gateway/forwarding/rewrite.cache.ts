/**
 * The rewritten heads of the last request and response of a kept connection to a target. Consecutive messages
 * are similar: often only the first line of a request and the body of a response differ.
 */

import { headToKeep, type RequestHead, type ResponseHead } from '../http/head.ts'
import { planOf, type ResponsePlan } from './plan.ts'
import {
  type Forwarding,
  requestFields,
  type RequestOptions,
  responseFields,
  rewriteRequest,
} from './rewrite.ts'

interface LastRequest {
  head: RequestHead
  authority: string
  forwardedFor: string | null
  upgrade: boolean
  fields: string
  bytes: Buffer
}

interface LastResponse {
  head: ResponseHead
  method: string
  version: string
  canKeep: boolean
  plan: ResponsePlan
  fields: string
}

/** For one connection: all its requests go to the same target, through the same proxy if there is one. */
export class RewriteCache {
  #request: LastRequest | null = null
  #response: LastResponse | null = null

  /** Like `rewriteRequest`. */
  request(head: RequestHead, forwarding: Forwarding, options: RequestOptions): Buffer {
    const last = this.#request
    const isSame = last !== null && isRepeated(last, head, forwarding.authority, options)
    if (isSame && last.head === head) return last.bytes
    const fields = isSame ? last.fields : requestFields(head, forwarding, options)
    const bytes = rewriteRequest(head, forwarding, options, fields)
    const { forwardedFor, upgrade } = options
    // The Max-Forwards of an OPTIONS is changed with each step.
    this.#request =
      head.method === 'OPTIONS' || headToKeep(head) === null
        ? null
        : { head, authority: forwarding.authority, forwardedFor, upgrade, fields, bytes }
    return bytes
  }

  /** The plan of a response (`planOf`), and its fields (`responseFields`). */
  response(
    head: ResponseHead,
    request: RequestHead,
    canKeep: boolean,
  ): Pick<LastResponse, 'plan' | 'fields'> {
    const last = this.#response
    const { method, version } = request
    if (last !== null && last.head === head && last.method === method)
      if (last.version === version && last.canKeep === canKeep) return last
    const plan = planOf(head, request, canKeep)
    const fields = responseFields(head, plan.sent)
    const response = { head, method, version, canKeep, plan, fields }
    this.#response = headToKeep(head) === null ? null : response
    return response
  }
}

function isRepeated(
  last: LastRequest,
  head: RequestHead,
  authority: string,
  options: RequestOptions,
): boolean {
  return (
    last.head.fields === head.fields &&
    last.head.version === head.version &&
    last.authority === authority &&
    last.forwardedFor === options.forwardedFor &&
    last.upgrade === options.upgrade &&
    head.method !== 'OPTIONS'
  )
}
