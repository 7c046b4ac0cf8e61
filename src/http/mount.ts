/** Mounts every call of the contract on the server: parsing, authority, idempotency, handler, answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { contract } from '#contract/contract'
import { isForResellers, isReading, type Name, takesIdempotencyKey, wire } from '#contract/wire'
import type { Caller, Context, Handlers, Pace } from '#db/call'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import { Admission } from './admission.ts'
import { bearer } from './bearer.ts'
import { type Blob, sendBlob } from './blob.ts'
import { allowResellers, preflight } from './cors.ts'
import { languageOf } from './errors.ts'
import { type Idempotent, once } from './idempotency.ts'
import { parse } from './input.ts'
import type { Admit } from './live/live.ts'
import type { PaceOptions } from './pace.ts'
import { withoutSecrets } from './view/mask.ts'
import { callerInView, isInView } from './view/view.ts'
import { noteDone } from './watch.ts'

export interface MountOptions {
  database: Database
  handlers: Partial<Handlers>
  /** The owner of a bearer token, or null. */
  authenticate: (token: string, from: { ip: string; now: Date }) => Promise<Caller | null>
  /** The origin of the shop's own pages. */
  publicUrl: URL
  now: () => Date
  /** The client's country, when a trusted proxy gives it. */
  countryOf: (request: FastifyRequest) => string | null
  /** The rate limit of calls in the name of one account. Default: the usual one. */
  accountPace?: PaceOptions | undefined
}

/** Returns what admits requests outside of the contract as if they made a call. */
export function mountContract(server: FastifyInstance, given: MountOptions): Admit {
  const options = { ...given, admission: new Admission({ now: given.now, pace: given.accountPace }) }
  for (const name of Object.keys(wire) as Name[]) {
    const { method, path } = wire[name]
    // The router has to know where the placeholder ends.
    const url = `/api${path.replace('{provider}', ':provider(^[A-Za-z0-9.-]+)')}`
    const onRequest = isForResellers(name) ? [allowResellers] : []
    server.route({
      method,
      url,
      onRequest,
      handler: (request, reply) => answer(name, request, reply, options),
    })
    server.options(url, preflight(method, isForResellers(name)))
  }
  return (name, request, reply) => contextOf(name, request, reply, options)
}

/** The calls that still answer 501; a test lists them. */
export function notBuilt(handlers: Partial<Handlers>): Name[] {
  return (Object.keys(wire) as Name[]).filter((name) => handlers[name] === undefined)
}

type Mounted = MountOptions & { admission: Admission }

async function answer(name: Name, request: FastifyRequest, reply: FastifyReply, options: Mounted) {
  const context = await contextOf(name, request, reply, options)
  const handler = options.handlers[name] as
    | ((input: unknown, context: Context) => Promise<unknown>)
    | undefined
  if (handler === undefined) throw new Refusal('not_built_yet')
  const input = parse(contract[name].input, inputOf(name, request))
  options.admission.admitCost(name, input, context)

  // By the contract the output of this call is a blob.
  if (wire[name].answer === 'blob') return sendBlob(request, reply, (await handler(input, context)) as Blob)
  const run = async (operation?: string): Promise<Idempotent> => {
    const headers: Record<string, string> = {}
    const output = await handler(input, {
      ...context,
      ...(operation === undefined ? {} : { operation }),
      setHeader: (key, value) => void (headers[key] = value),
    })
    const shown = context.account?.view === undefined ? output : withoutSecrets(output)
    return { status: 200, headers, body: serialise(name, shown) }
  }
  const key = request.headers['idempotency-key']
  const result =
    key !== undefined && takesIdempotencyKey(name) && context.account !== null
      ? await once(options.database, { accountId: context.account.id, key: String(key), name, input }, run)
      : await options.admission.inTurn(name, input, context, run)
  noteDone(request, name, context.account?.id)
  reply.headers(result.headers).header('cache-control', 'no-store')
  const isText = wire[name].answer === 'text'
  return reply
    .status(result.status)
    .type(isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8')
    .send(bodyOf(result.body))
}

/**
 * Above this length a string is converted to a buffer first: a socket reserves three bytes per character of a string,
 * which takes milliseconds.
 */
const longText = 16_384
const bodyOf = (text: string): string | Buffer => (text.length < longText ? text : Buffer.from(text))

async function contextOf(
  name: Name,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Mounted,
): Promise<Context> {
  if (wire[name].who === 'anyone') options.admission.admitAnybody(request.ip)
  const account = await callerFor(name, request, options)
  if (account?.reseller !== undefined) admitReseller(name, account.reseller, reply)
  if (account !== null) options.admission.admitAccount(account)
  return {
    database: options.database,
    account,
    language: languageOf(request.headers['accept-language']),
    now: options.now,
    requestId: request.id,
    ip: request.ip,
    country: options.countryOf(request),
    userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
    // Browsers send it with every POST (Fetch standard, section 3.2), other programs do not.
    isOtherSite: (request.headers.origin ?? options.publicUrl.origin) !== options.publicUrl.origin,
    setHeader: (key, value) => void reply.header(key, value),
  }
}

/** The caller of a call that needs one. A member of staff who looks at an account makes reading calls only, of any kind. */
async function callerFor(name: Name, request: FastifyRequest, options: Mounted): Promise<Caller | null> {
  const isOpen = wire[name].who === 'anyone'
  if (isInView(request)) {
    const caller = await callerInView(request, options)
    if (!isReading(name)) throw new Refusal('view_read_only')
    return isOpen ? null : caller
  }
  if (isOpen) return null
  const token = bearer(request.headers.authorization)
  const account =
    token === null ? null : await options.authenticate(token, { ip: request.ip, now: options.now() })
  if (account === null) throw new Refusal('unauthorized')
  return account
}

/** Every answer to a reseller's program states its allowance; when that is used up, calls are refused. */
function admitReseller(name: Name, pace: Pace, reply: FastifyReply): void {
  reply
    .header('x-ratelimit-limit', pace.limit)
    .header('x-ratelimit-remaining', pace.remaining)
    .header('x-ratelimit-reset', pace.resetSeconds)
  const seconds = pace.retryAfterSeconds
  if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
  if (!isForResellers(name)) throw new Refusal('not_for_reseller_token')
}

function inputOf(name: Name, request: FastifyRequest): unknown {
  const given = wire[name].method === 'GET' ? request.query : (request.body ?? {})
  const provider = (request.params as Record<string, string>)['provider']
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isObject) throw new Refusal('malformed_json')
  if (provider === undefined) return given
  if ('provider' in given) throw new Refusal('unknown_field', { field: 'provider' })
  return { ...given, provider }
}

/** Fields whose values exceed a double's precision: they arrive as text and are sent as JSON numbers. */
const trafficFields = new Set(['balance', 'traffic', 'extra_traffic', 'credited'])

/**
 * Validating every field of an answer takes as long as serialising it, so it is done only for calls with such a field.
 */
const withTraffic: ReadonlySet<string> = new Set(
  Object.entries(contract).flatMap(([name, { output }]) => {
    const schema = JSON.stringify(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }))
    return [...trafficFields].some((field) => schema.includes(`"${field}":`)) ? [name] : []
  }),
)

interface RawJson {
  rawJSON: (text: string) => unknown
}

/** The text of frozen answers: a long list that many callers request is validated and serialised once. */
const writings = new WeakMap<object, string>()

function serialise(name: Name, output: unknown): string {
  if (typeof output !== 'object' || !Object.isFrozen(output) || output === null) return write(name, output)
  const written = writings.get(output) ?? write(name, output)
  writings.set(output, written)
  return written
}

function write(name: Name, output: unknown): string {
  // An output that does not match the contract is our bug: it must not be sent.
  const checked: unknown = contract[name].output.parse(output)
  if (wire[name].answer === 'text') return checked as string
  if (!withTraffic.has(name)) return JSON.stringify(checked)
  return JSON.stringify(checked, (key, value: unknown) =>
    typeof value === 'string' && trafficFields.has(key) ? (JSON as unknown as RawJson).rawJSON(value) : value,
  )
}
