/** Mounts every call of the desk's contract: authority, parsing, handler, masking, answer. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { deskContract } from '#contract/desk/contract'
import { may } from '#contract/desk/roles'
import {
  type CsvName,
  deskCsvPath,
  type DeskName,
  deskPath,
  deskWire,
  isPermission,
} from '#contract/desk/wire'
import { type Database, transaction } from '#db'
import type { Cidr } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import { authenticate, record, steppedUpUntil } from '#staff'
import { authorOf, type DeskContext, type DeskHandlers, type Member } from '#staff/call'
import { languageOf } from '../errors.ts'
import { parse } from '../mount.ts'
import { accountPace, Pace, publicPace, subjectOf } from '../pace.ts'
import { cookieField, tokenIn } from './cookie.ts'
import { csvOf } from './csv.ts'
import { masked } from './mask.ts'
import { refuseOtherOrigins } from './origin.ts'

export interface DeskMountOptions {
  database: Database
  handlers: DeskHandlers
  deskUrl: URL
  /** Networks that may reach the desk; none: all. */
  networks: readonly Cidr[]
  now: () => Date
}

interface Mounted extends DeskMountOptions {
  ofAddresses: Pace
  ofMembers: Pace
}

/** A picture in base64. */
const bannerBytes = 2 * 1024 * 1024

export function mountDesk(server: FastifyInstance, given: DeskMountOptions): void {
  const options = { ...given, ofAddresses: new Pace(publicPace), ofMembers: new Pace(accountPace) }
  for (const name of Object.keys(deskWire) as DeskName[]) {
    const { method, csv } = deskWire[name]
    const size = name === 'publish_banner' ? { bodyLimit: bannerBytes } : {}
    server.route({
      method,
      url: deskPath(name),
      ...size,
      // Before the body is read: nobody but the desk's pages and its members sends one.
      onRequest: async (request) => refuseOtherOrigins(request, options.deskUrl),
      handler: (request, reply) => answer(name, request, reply, options),
    })
    if (csv) mountCsv(server, name as CsvName, options)
  }
}

type AnyHandler = (input: unknown, context: DeskContext) => Promise<unknown>

async function answer(name: DeskName, request: FastifyRequest, reply: FastifyReply, options: Mounted) {
  const context = await contextOf(name, request, reply, options)
  const handler = options.handlers[name] as AnyHandler
  const input = parse(deskContract[name].input, inputOf(request))
  const output = await handler(input, context)
  // An output that does not match the contract is our bug: it must not be sent.
  const checked: unknown = deskContract[name].output.parse(output)
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(seen(checked, context.member)))
}

/** What this member may see of an answer. Who has not signed in gets no contacts from any call. */
const seen = (data: unknown, member: Member | null) =>
  member === null || may(member.role, 'customers.contacts') ? data : masked(data)

function inputOf(request: FastifyRequest): unknown {
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
  const { database, deskUrl, now } = options
  const token = tokenIn(request.headers.cookie, deskUrl)
  const member = token === null ? null : await authenticate(database.db, token, now())
  admit(request, member, options)
  authorise(name, member)
  const needStepUp = () => {
    if (member === null || steppedUpUntil(member, now()) === null) throw new Refusal('step_up_needed')
  }
  if (deskWire[name].stepUp === 'always') needStepUp()
  return {
    database,
    member,
    language: languageOf(request.headers['accept-language']),
    now,
    requestId: request.id,
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    setToken: (given) => void reply.header('set-cookie', cookieField(given, deskUrl)),
    needStepUp,
  }
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

const csvPageRows = 200

/** The list as a download: exactly what the filters match, as the member may see it. Each download is recorded. */
function mountCsv(server: FastifyInstance, name: CsvName, options: Mounted): void {
  const columns = columnsOf(name)
  server.get(deskCsvPath(name), {
    onRequest: async (request) => refuseOtherOrigins(request, options.deskUrl),
    handler: async (request, reply) => {
      const context = await contextOf(name, request, reply, options)
      const handler = options.handlers[name] as AnyHandler
      const filters = inputOf(request) as Record<string, unknown>
      const input = parse(deskContract[name].input, { ...filters, limit: csvPageRows })
      const entry = { action: 'export', subject: { kind: 'list', id: name }, after: filters } as const
      await transaction(options.database.db, (tx) => record(tx, authorOf(context), entry, context.now()))
      const first = await handler(input, context)
      const day = context.now().toISOString().slice(0, 10)
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="${name}-${day}.csv"`)
        .type('text/csv; charset=utf-8')
        .send(Readable.from(csvOf(columns, pagesOf(first))))

      async function* pagesOf(page: unknown) {
        let { rows, next } = deskContract[name].output.parse(page) as CsvPage
        for (;;) {
          yield seen(rows, context.member) as CsvPage['rows']
          if (next === null) return
          const more = await handler({ ...(input as object), after: next }, context)
          ;({ rows, next } = deskContract[name].output.parse(more) as CsvPage)
        }
      }
    },
  })
}

interface CsvPage {
  rows: Record<string, unknown>[]
  next: string | null
}

/** The fields of a row, in the order of the contract. */
function columnsOf(name: CsvName): string[] {
  const { rows } = deskContract[name].output.shape
  return Object.keys((rows.element as z.ZodObject).shape)
}
