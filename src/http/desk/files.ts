/**
 * Lists as files: exactly the rows that the filters match, as the member may see them, read page by page
 * while the file is sent. Between pages no database connection is held, so a reader may take its time within
 * `FileLimits`. Each download is recorded.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { deskContract } from '#contract/desk/contract'
import { type CsvName, deskFilePath, type FileFormat, fileFormats } from '#contract/desk/wire'
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { dayIn } from '#lib/zone'
import { record } from '#staff'
import { authorOf, type DeskContext, type Member, memberOf } from '#staff/call'
import { inPieces } from '../admission/pieces.ts'
import { parse } from '../input.ts'
import { columnsOf } from './columns.ts'
import { csvOf } from '#lib/csv/print-csv'
import { refuseOtherOrigins } from './origin.ts'
import { type FileLimits, type OpenFiles, paced } from './reader.ts'
import { xlsxOf } from './xlsx.ts'

type Row = Record<string, unknown>

interface Page {
  rows: Row[]
  next: string | null
  /** Sums, written below the last row of the file; taken from the first page. */
  foot?: Row[]
}

export interface FilesOptions {
  database: Database
  deskUrl: URL
  zone: string
  limits: FileLimits
  open: OpenFiles
  handler: (input: unknown, context: DeskContext) => Promise<unknown>
  /** Authorises the request; refuses a member who may not make the call. */
  begin: (request: FastifyRequest, reply: FastifyReply) => Promise<DeskContext>
  /** Whether the member still has the permission, while the file is sent. */
  isStillAllowed: (request: FastifyRequest) => Promise<boolean>
  /** Removes from data what the member may not see, by its schema. */
  seen: (schema: z.ZodType, data: unknown, member: Member | null) => unknown
}

const types: Record<FileFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export function mountFiles(server: FastifyInstance, name: CsvName, options: FilesOptions): void {
  for (const format of fileFormats)
    server.get(deskFilePath(name, format), {
      // HEAD would read the whole list for nothing.
      exposeHeadRoute: false,
      onRequest: async (request) => refuseOtherOrigins(request, options.deskUrl),
      handler: (request, reply) => sendFile(name, format, request, reply, options),
    })
}

async function sendFile(
  name: CsvName,
  format: FileFormat,
  request: FastifyRequest,
  reply: FastifyReply,
  options: FilesOptions,
) {
  const { limits, open, zone } = options
  const context = await options.begin(request, reply)
  const leave = open.enter(String(memberOf(context).id))
  const pages = await firstPage(name, format, request, { ...options, context }).catch((error: unknown) => {
    leave()
    throw error
  })
  const columns = columnsOf(name)
  const names = columns.map((column) => column.name)
  const chunks = format === 'csv' ? csvOf(names, pages) : xlsxOf({ name, columns, zone }, pages)
  const stream = paced(chunks, limits)
  stream.once('close', leave)
  const day = dayIn(zone, context.now())
  return reply
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${name}-${day}.${format}"`)
    .type(types[format])
    .send(stream)
}

/**
 * Records the download and reads the first page before the answer begins, so that a refusal is an ordinary
 * answer; further pages are read on demand.
 */
async function firstPage(
  name: CsvName,
  format: FileFormat,
  request: FastifyRequest,
  options: FilesOptions & { context: DeskContext },
): Promise<AsyncGenerator<Row[]>> {
  const { database, limits, context } = options
  const filters = request.query as Row
  const parsed = parse(deskContract[name].input, { ...filters, limit: 1 }) as object
  const input = { ...parsed, limit: limits.rowsAtOnce }
  const entry = {
    action: 'export',
    subject: { kind: 'list', id: name },
    after: { ...filters, format },
  } as const
  await transaction(database.db, (tx) => record(tx, authorOf(context), entry, context.now()))
  const read = async (asked: object) => (await options.handler(asked, context)) as Page
  const { rows: schema } = deskContract[name].output.shape
  const shape: Record<string, z.ZodType> = deskContract[name].output.shape
  /** The rows by the contract and as the member may see them: each piece in a turn of the event loop. */
  const shown = (rows: readonly Row[], of: z.ZodType = schema) =>
    inPieces(rows, (some) => options.seen(of, of.parse(some), context.member) as Row[])
  const first = await read(input)
  async function* pages() {
    const { foot = [] } = first
    for (let { rows, next } = first; ;) {
      yield* shown(rows)
      if (next === null) {
        yield* shown(foot, shape['foot'])
        return
      }
      // A member may be blocked, or lose the permission, while the file is sent.
      if (!(await options.isStillAllowed(request))) throw new Refusal('unauthorized')
      ;({ rows, next } = await read({ ...input, after: next }))
    }
  }
  return pages()
}
