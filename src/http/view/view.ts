/** Opens, recognises and ends views: a member of staff sees the shop as one customer sees it (`#staff`). */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accountById } from '#accounts'
import type { LanguageCode } from '#contract/language'
import { type OpenedView, viewHeader, viewPaths } from '#contract/view'
import type { Database } from '#db'
import type { Caller } from '#db/call'
import { cookieField, tokenInCookies } from '#lib/cookie'
import { Refusal } from '#lib/refusal'
import { sha256 } from '#lib/secret'
import { isSentFrom } from '#lib/url'
import { authenticateView, endView, openView, type View } from '#staff'

export interface ViewOptions {
  database: Database
  publicUrl: URL
  now: () => Date
}

const cookie = 'turnpike-view'

/** Opening and ending a view: from the shop's own pages only. */
export function mountView(server: FastifyInstance, options: ViewOptions): void {
  const { database, publicUrl, now } = options
  const onRequest = async (request: FastifyRequest) => {
    if (!isSentFrom(publicUrl, request.headers))
      throw new Refusal('view_wrong_origin', { url: publicUrl.href })
  }
  server.post(viewPaths.open, { onRequest }, async (request, reply) => {
    const { token } = (request.body ?? {}) as { token?: unknown }
    const { view, token: own } = await openView(database.db, token, arrivalOf(request), now())
    const { id, staff, endsAt } = view
    const opened: OpenedView = { id: String(id), staff: staff.name, ends_at: endsAt.toISOString() }
    return reply
      .header('cache-control', 'no-store')
      .header('set-cookie', cookieField(own, cookie, publicUrl))
      .send(opened)
  })
  server.post(viewPaths.end, { onRequest }, async (request, reply) => {
    const found = await viewOf(request, options)
    if (found !== null) await endView(database.db, found.view, arrivalOf(request), now())
    return reply
      .header('cache-control', 'no-store')
      .header('set-cookie', cookieField(null, cookie, publicUrl))
      .send(true)
  })
}

const arrivalOf = ({ ip, id }: FastifyRequest) => ({ ip, requestId: id })

/** Whether the request belongs to a view: then it is not a customer's own, even with a customer's token. */
export const isInView = ({ headers }: FastifyRequest): boolean => headers[viewHeader] !== undefined

/** The open view that the header names, when the cookie proves it; else null. */
async function viewOf(
  { headers }: FastifyRequest,
  { database, publicUrl, now }: ViewOptions,
): Promise<{ view: View; token: string } | null> {
  const named = headers[viewHeader]
  const token = tokenInCookies(headers.cookie, cookie, publicUrl)
  if (typeof named !== 'string' || !/^[1-9]\d{0,17}$/.test(named) || token === null) return null
  const view = await authenticateView(database.db, { id: BigInt(named), token }, now())
  return view === null ? null : { view, token }
}

/** The customer whom the member of staff looks at. Refuses with `view_ended`. */
export async function callerInView(request: FastifyRequest, options: ViewOptions): Promise<Caller> {
  const found = await viewOf(request, options)
  const account = found === null ? null : await accountById(options.database.db, found.view.accountId)
  if (found === null || account === null) throw new Refusal('view_ended')
  const { view, token } = found
  return {
    id: account.id,
    lang: account.lang as LanguageCode,
    tokenSha256: sha256(token),
    view: view.id,
  }
}
