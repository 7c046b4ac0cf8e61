/** Mounts every call of the desk's contract: authority, parsing, handler, masking, answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { DeskCall } from '#contract/desk/call'
import { deskContract } from '#contract/desk/contract'
import { may } from '#contract/desk/roles'
import { bytes } from '#contract/desk/schemas'
import { type CsvName, type DeskName, deskPath, deskWire, isPermission, mayCall } from '#contract/desk/wire'
import type { Database } from '#db'
import { cookieField, tokenInCookies } from '#lib/cookie'
import type { Cidr } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { authenticate, steppedUpUntil } from '#staff'
import type { ActLimits, DeskContext, DeskHandlers, Member } from '#staff/call'
import { languageOf } from '../errors.ts'
import { parse } from '../input.ts'
import { printInPieces } from '../admission/pieces.ts'
import { bodyOf } from '../admission/printed.ts'
import { accountPace, Pace, publicPace, subjectOf } from '../admission/pace.ts'
import { type Blob, mountDownload, type OpenDownload, sendPrivateBlob } from '../blob.ts'
import { mountFiles } from './files.ts'
import { maskFor } from './mask.ts'
import { mountMonthBooks } from './month.books.ts'
import { refuseOtherOrigins } from './origin.ts'
import { Periods } from './periods.ts'
import { type FileLimits, OpenFiles, usualFileLimits } from './reader.ts'

export interface DeskMountOptions {
  database: Database
  handlers: DeskHandlers
  /** The limits currently in force. */
  limits: () => Promise<ActLimits>
  deskUrl: URL
  /** Networks that may reach the desk; none: all. */
  networks: readonly Cidr[]
  /** Downloads of customers' data. */
  download: OpenDownload
  /** The time zone of the shop: that of days, and of times in workbooks. */
  zone: string
  /** The limits of downloads; by default the usual ones. */
  fileLimits?: FileLimits
  now: () => Date
}

interface Mounted extends DeskMountOptions {
  ofAddresses: Pace
  ofMembers: Pace
  periods: Periods
}

/** The cookie of a session at the desk. */
const cookie = 'turnpike-desk'

/** A larger body is read only for members whose role allows the call. */
const usualBodyKib = 64

export function mountDesk(server: FastifyInstance, given: DeskMountOptions): void {
  const options = {
    ...given,
    ofAddresses: new Pace(publicPace),
    ofMembers: new Pace(accountPace),
    periods: new Periods(),
  }
  const fileLimits = given.fileLimits ?? usualFileLimits
  const open = new OpenFiles(fileLimits.atOnce)
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  for (const name of Object.keys(deskWire) as DeskName[]) {
    const { method, file, body }: DeskCall = deskWire[name]
    const isLarge = body !== null && body.mostKib > usualBodyKib
    server.route({
      method,
      url: deskPath(name),
      ...(body === null ? {} : { bodyLimit: body.mostKib * 1024 }),
      // Before the body is read: only the desk's pages and its members may send one.
      onRequest: async (request, reply) => {
        refuseOtherOrigins(request, options.deskUrl)
        if (isLarge) await contextOf(name, request, reply, options)
      },
      handler: (request, reply) => answer(name, request, reply, options),
    })
    if (file)
      mountFiles(server, name as CsvName, {
        ...options,
        limits: fileLimits,
        open,
        handler: (input, context) => handle(name, 'file', input, context, options),
        begin: (request, reply) => contextOf(name, request, reply, options),
        isStillAllowed: (request) => isStillAllowed(name, request, options),
        seen,
      })
  }
  mountMonthBooks(server, {
    ...options,
    limits: fileLimits,
    open,
    begin: (request, reply) => contextOf('month_books', request, reply, options),
    isStillAllowed: (request) => isStillAllowed('month_books', request, options),
    seesContacts,
  })
  mountDownload(server, {
    open: options.download,
    now: options.now,
    admit: async (request) => {
      refuseOtherOrigins(request, options.deskUrl)
      await memberFor('export_customer', request, options)
    },
  })
}

/** A handler whose input is parsed already. */
type AnyHandler = (input: unknown, context: DeskContext) => Promise<unknown>

/** Handles a call whose input is parsed, in its turn if it waits in a queue. */
function handle(
  name: DeskName,
  way: 'call' | 'file',
  input: unknown,
  context: DeskContext,
  { handlers, periods }: Mounted,
): Promise<unknown> {
  const handler = handlers[name] as AnyHandler
  const { queue }: DeskCall = deskWire[name]
  return queue === null ? handler(input, context) : periods.run(context, way, () => handler(input, context))
}

async function answer(name: DeskName, request: FastifyRequest, reply: FastifyReply, options: Mounted) {
  const context = await contextOf(name, request, reply, options)
  const input = parse(deskContract[name].input, inputOf(name, request))
  const output = await handle(name, 'call', input, context, options)
  const { output: schema } = deskContract[name]
  if (deskWire[name].answer === 'blob') return sendPrivateBlob(request, reply, schema.parse(output) as Blob)
  // An output that does not match the contract is our bug: it must not be sent.
  const text = await printInPieces(schema, output, (of, value) =>
    JSON.stringify(seen(of, of.parse(value), context.member)),
  )
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(bodyOf(text))
}

/** Masks an answer for this member. A caller who has not signed in gets no contacts from any call. */
const seen = (schema: z.ZodType, data: unknown, member: Member | null) =>
  seesContacts(member) ? data : maskFor(schema)(data)

const seesContacts = (member: Member | null) => member === null || may(member.role, 'customers.contacts')

const bytesField = (name: DeskName) =>
  Object.entries<unknown>((deskContract[name].input as z.ZodObject).shape).find(
    ([, field]) => field === bytes,
  )?.[0] ?? ''

/** The input as sent; for a call that takes bytes, the body is the one field that is not text. */
function inputOf(name: DeskName, request: FastifyRequest): unknown {
  const { body }: DeskCall = deskWire[name]
  const isBytes = request.body instanceof Uint8Array
  if (isBytes !== (body?.type === 'bytes')) throw new Refusal('unsupported_media_type')
  if (isBytes) return { ...(request.query as object), [bytesField(name)]: request.body }
  const given = request.method === 'GET' ? request.query : (request.body ?? {})
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Refusal('malformed_json')
  return given
}

async function contextOf(
  name: DeskName,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Mounted,
): Promise<DeskContext> {
  const { database, deskUrl, zone, now } = options
  const member = await memberFor(name, request, options)
  const { stepUp }: DeskCall = deskWire[name]
  const isFresh = member !== null && steppedUpUntil(member, now()) !== null
  if (stepUp === 'always' && !isFresh) throw new Refusal('step_up_needed')
  return {
    database,
    member,
    language: languageOf(request.headers['accept-language']),
    now,
    zone,
    requestId: request.id,
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    closed: closedOf(reply),
    setToken: (given) => void reply.header('set-cookie', cookieField(given, cookie, deskUrl)),
    limits:
      stepUp === 'by money a day' || stepUp === 'by traffic a day'
        ? { ...(await options.limits()), isFresh, by: stepUp === 'by money a day' ? 'micros' : 'bytes' }
        : null,
  }
}

/** A signal that aborts when the connection of the answer is closed; nobody reads its refusal. */
function closedOf({ raw }: FastifyReply): AbortSignal {
  const closing = new AbortController()
  const close = () => closing.abort(new Refusal('request_timeout'))
  if (raw.destroyed) close()
  else raw.once('close', close)
  return closing.signal
}

/** The member behind a request; refuses one who may not make the call. */
async function memberFor(name: DeskName, request: FastifyRequest, options: Mounted): Promise<Member | null> {
  const { database, deskUrl, now } = options
  const token = tokenInCookies(request.headers.cookie, cookie, deskUrl)
  const member = token === null ? null : await authenticate(database.db, token, now())
  admit(request, member, options)
  authorise(name, member)
  return member
}

function admit(
  request: FastifyRequest,
  member: Member | null,
  { ofAddresses, ofMembers, now }: Mounted,
): void {
  const [pace, subject] =
    member === null ? [ofAddresses, subjectOf(request.ip)] : [ofMembers, String(member.id)]
  const seconds = pace.take(subject, now())
  if (seconds !== null) throw new Refusal('too_many_requests', { seconds }, seconds)
}

/** Refuses with `unauthorized`, `second_factor_missing` and `no_permission`. */
function authorise(name: DeskName, member: Member | null): void {
  const { needs } = deskWire[name]
  if (needs === 'anyone') return
  if (member === null) throw new Refusal('unauthorized')
  if (needs === 'begun') return
  if (!member.session.isComplete) throw new Refusal('second_factor_missing')
  if (isPermission(needs) && !may(member.role, needs))
    throw new Refusal('no_permission', { role: member.role })
}

/** Whether the sender of a request that is still being answered may still make the call. */
async function isStillAllowed(
  name: DeskName,
  request: FastifyRequest,
  { database, deskUrl, now }: Mounted,
): Promise<boolean> {
  const token = tokenInCookies(request.headers.cookie, cookie, deskUrl)
  const member = token === null ? null : await authenticate(database.db, token, now())
  return member !== null && member.session.isComplete && mayCall(member.role, name)
}
