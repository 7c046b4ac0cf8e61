/** Mounts every call of the contract on the server: parsing, authority, idempotency, handler, answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { onceOf } from '#contract/call'
import { contract } from '#contract/contract'
import { type Name, wire } from '#contract/wire'
import { type Caller, type Context, type Handlers, type JsonAnswers, type Pace, personBehind } from '#db/call'
import { needProof } from '#accounts'
import { noteAct } from '#teams'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import type { Admission } from './admission/admission.ts'
import { limitHeaders, policyHeaders } from './admission/pace.ts'
import { bearer } from './bearer.ts'
import { type Blob, sendBlob } from './blob.ts'
import { browserOf } from './browser.ts'
import { allowResellers, preflight } from './cors.ts'
import { languageOf } from './errors.ts'
import { answerOnce, checkKey, isAdmitted, type KeyedCall, type Part } from './idempotency/idempotency.ts'
import type { Answer } from './idempotency/answers.ts'
import { parse } from './input.ts'
import type { Admit } from './live/live.ts'
import { bodyOf, printed } from './admission/printed.ts'
import { actingFor } from './team/acting.ts'
import { secretsHidden } from './team/secrets.ts'
import { withoutSecrets } from './view/mask.ts'
import { callerInView, isInView } from './view/view.ts'
import { prefersJson, toJson } from './representation.ts'
import { viewHeader } from '#contract/view'
import { noteDone } from './security.log.ts'

export interface MountOptions {
  database: Database
  secrets: Secrets
  handlers: Handlers
  jsonAnswers: JsonAnswers
  /** The owner of a bearer token, or null. */
  authenticate: (token: string, from: { ip: string; now: Date }) => Promise<Caller | null>
  /** The origin of the shop's own pages. */
  publicUrl: URL
  now: () => Date
  /** The client's country, when a trusted proxy gives it. */
  countryOf: (request: FastifyRequest) => string | null
  admission: Admission
}

/**
 * Mounts the contract. Returns the function that admits requests outside of the contract as if they made a
 * call.
 */
export function mountContract(server: FastifyInstance, options: MountOptions): Admit {
  for (const name of Object.keys(wire) as Name[]) {
    const { method, path } = wire[name]
    // The router has to know where the placeholder ends.
    const url = `/api${path.replace('{provider}', ':provider(^[A-Za-z0-9.-]+)')}`
    const onRequest = wire[name].token ? [allowResellers] : []
    server.route({
      method,
      url,
      onRequest,
      onSend: tellLimits(options.admission),
      handler: (request, reply) => answer(name, request, reply, options),
    })
    server.options(url, preflight(method, wire[name].token))
  }
  return (name, request, reply) => contextOf(name, request, reply, options)
}

/** The callers of the requests under way that were made with an API token. */
const programs = new WeakMap<FastifyRequest, Caller & { reseller: Pace }>()

/** Every answer to a customer's program, also a refusal, states all limits in force. */
const tellLimits =
  (admission: Admission): onSendHookHandler =>
  (request, reply, _payload, next) => {
    const caller = programs.get(request)
    if (caller !== undefined)
      reply.headers(policyHeaders({ calls: caller.reseller, cost: admission.costOf(caller) }))
    next()
  }

async function answer(name: Name, request: FastifyRequest, reply: FastifyReply, options: MountOptions) {
  const context = await contextOf(name, request, reply, options)
  const handler = options.handlers[name] as (input: unknown, context: Context) => Promise<unknown>
  const input = parse(contract[name].input, inputOf(name, request))
  const keyed = keyedOf(name, request, { account: context.account, input })
  const admitCost = () => options.admission.admitCost(wire[name], input, context)
  // A repeated call costs its one token: the cost of its work is counted once the work is to be done.
  if (keyed === null) admitCost()
  await needProofFor(name, context, keyed)

  // By the contract the output of this call is a blob.
  if (wire[name].answer === 'blob') return sendBlob(request, reply, (await handler(input, context)) as Blob)
  const run = async (part?: Part): Promise<Answer> => {
    const headers: Record<string, string> = {}
    const output = await handler(input, {
      ...context,
      ...part,
      setHeader: (key, value) => void (headers[key] = value),
    })
    const { account } = context
    if (account?.member !== undefined && wire[name].effect !== 'reads')
      await noteAct(
        (part?.database ?? options.database).db,
        account,
        { call: name, ip: context.ip },
        context.now(),
      )
    options.admission.owe(output, context)
    return {
      status: 200,
      headers,
      body: await printed(name, output, maskFor(account)),
    }
  }
  const inTurn = (work: () => Promise<Answer>) => options.admission.inTurn(wire[name], input, context, work)
  const result =
    keyed === null
      ? await inTurn(() => run())
      : await answerOnce(
          options,
          keyed,
          (work) => {
            admitCost()
            return inTurn(work)
          },
          run,
        )
  noteDone(request, name, context.account)
  reply.headers(result.headers).header('cache-control', 'no-store')
  // A cache that stores it all the same must not give one customer the answer of another.
  if (wire[name].who === 'either') reply.header('vary', `authorization, ${viewHeader}`)
  const { status, body } = result
  if (wire[name].answer !== 'text') return sendJson(reply, status, body)
  const asJson = toJson(options.jsonAnswers, name)
  if (asJson !== null) {
    const vary = reply.getHeader('vary')
    reply.header('vary', vary === undefined ? 'accept' : `${String(vary)}, accept`)
    if (prefersJson(request.headers.accept))
      return sendJson(reply, status, await asJson(String(body), context, result.headers))
  }
  return reply.status(status).type('text/plain; charset=utf-8').send(bodyOf(body))
}

/** What hides secrets from the caller; null: they see all. */
function maskFor(account: Caller | null) {
  if (account?.view !== undefined) return withoutSecrets
  return account?.member === undefined ? null : secretsHidden(account.member.role)
}

const sendJson = (reply: FastifyReply, status: number, body: string | Buffer) =>
  reply.status(status).type('application/json; charset=utf-8').send(bodyOf(body))

/**
 * Refuses a caller whose owner must be proved first. An API token is not a session and needs no proof; an
 * order of money or traffic that was admitted under its key is not checked again. Other answers under a key
 * may contain a secret.
 */
async function needProofFor(
  name: Name,
  { account, database, now }: Context,
  keyed: KeyedCall | null,
): Promise<void> {
  const { proof } = wire[name]
  if (proof === 'none' || proof === 'for some inputs' || account === null || account.reseller !== undefined)
    return
  // A key that another member of the team has used does not show that this member was admitted.
  if (account.member === undefined && keyed?.once === 'by operation' && (await isAdmitted(database, keyed)))
    return
  const { tokenSha256, provedAt } = account
  await needProof(database.db, proof, { accountId: personBehind(account), tokenSha256, provedAt }, now())
}

/** The call under its Idempotency-Key; null: it takes none, or none was sent. */
function keyedOf(
  name: Name,
  { headers }: FastifyRequest,
  { account, input }: { account: Caller | null; input: unknown },
): KeyedCall | null {
  const key = headers['idempotency-key']
  const once = onceOf(wire[name])
  if (key === undefined || account === null || once === null) return null
  checkKey(String(key))
  return { accountId: account.id, memberId: account.member?.id, key: String(key), name, input, once }
}

async function contextOf(
  name: Name,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
): Promise<Context> {
  const { who } = wire[name]
  if (who === 'anyone') options.admission.admitAnybody(request.ip)
  const account = await callerFor(name, request, options)
  if (who === 'either' && account === null) options.admission.admitAnybody(request.ip)
  if (account?.reseller !== undefined) {
    programs.set(request, { ...account, reseller: account.reseller })
    admitReseller(name, account.reseller, reply)
  }
  if (account !== null) options.admission.admitAccount(account)
  return {
    database: options.database,
    account,
    language: languageOf(request.headers['accept-language']),
    now: options.now,
    requestId: request.id,
    ip: request.ip,
    country: options.countryOf(request),
    browser: browserOf(request, options.publicUrl),
    userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
    // Browsers send Origin with every POST (Fetch standard, section 3.2), other programs do not.
    isOtherSite: (request.headers.origin ?? options.publicUrl.origin) !== options.publicUrl.origin,
    setHeader: (key, value) => void reply.header(key, value),
  }
}

/**
 * The caller, except of a call for anyone. A member of staff who looks at an account makes reading calls only,
 * of any kind.
 */
async function callerFor(name: Name, request: FastifyRequest, options: MountOptions): Promise<Caller | null> {
  const isOpen = wire[name].who === 'anyone'
  if (isInView(request)) {
    const caller = await callerInView(request, options)
    if (wire[name].effect !== 'reads') throw new Refusal('view_read_only')
    return isOpen ? null : caller
  }
  if (isOpen) return null
  const token = bearer(request.headers.authorization)
  if (token === null && wire[name].who === 'either') return null
  const account =
    token === null ? null : await options.authenticate(token, { ip: request.ip, now: options.now() })
  if (account === null) throw new Refusal('unauthorized')
  return actingFor(name, account, request)
}

/** Every answer to a reseller's program states its allowance; when that is used up, calls are refused. */
function admitReseller(name: Name, pace: Pace, reply: FastifyReply): void {
  reply.headers(limitHeaders(pace))
  const seconds = pace.retryAfterSeconds
  if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
  if (!wire[name].token) throw new Refusal('not_for_reseller_token')
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
