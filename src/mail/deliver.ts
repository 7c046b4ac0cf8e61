/** The job that sends one letter. */
import type { JobHelpers, TaskList } from 'graphile-worker'
import type { Kysely, Selectable } from 'kysely'
import type { DB } from '#db'
import type { Secrets } from '#lib/secret'
import { type LetterBrand, picturesOf } from './brand.ts'
import type { Letters, Template } from './kinds.ts'
import { isTemplate, letterOf } from './letters.ts'
import { renderLetter } from './render.ts'
import { type LetterFile, MailRefused, type MailAddress, type MailTransport } from './transport.ts'

export interface MailDeps {
  db: Kysely<DB>
  secrets: Secrets
  transport: MailTransport
  /** The sender; a sender without a name gets the brand. */
  from: { name: string | null; address: string }
  publicUrl: URL
  /** The shop's brand. */
  brand: () => Promise<LetterBrand>
  /** The invoice's newest document of this kind, created if it is due; null: there is none yet. */
  documentOf: (invoiceNumber: string, kind: 'invoice' | 'credit_note') => Promise<LetterFile | null>
  /** Called for each abandoned letter, with its id and the reason. */
  noteFailure: (id: string, reason: string) => void
  now: () => Date
}

/** The tasks of this slice for graphile-worker. */
export function mailJobs(deps: MailDeps): TaskList {
  return {
    send_mail: async (payload, { job }: JobHelpers) => {
      const { mail_id: id } = payload as { mail_id: string }
      await deliver(deps, id, job.attempts >= job.max_attempts)
    },
  }
}

async function deliver(deps: MailDeps, id: string, isLastTry: boolean): Promise<void> {
  const row = await deps.db.selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirst()
  // Already sent by another attempt, or deleted because of its age.
  if (row === undefined || row.sent_at !== null || row.failed_at !== null) return
  if (row.expires_at !== null && row.expires_at < deps.now()) {
    return giveUp(deps, id, 'the link expired before the letter could be sent')
  }
  try {
    await deps.transport.send(await compose(deps, row))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const isOver = error instanceof MailRefused || isLastTry
    if (isOver) await (isUnkept(row) ? forget(deps, id) : giveUp(deps, id, reason))
    if (error instanceof MailRefused) return
    throw error
  }
  if (isUnkept(row)) return forget(deps, id)
  await deps.db.updateTable('mail').set({ sent_at: deps.now(), data: null }).where('id', '=', id).execute()
}

/** The address of a person whose data was erased is deleted too. */
const isUnkept = ({ template }: { template: string }) => template === ('data_erased' satisfies Template)

async function forget({ db }: MailDeps, id: string): Promise<void> {
  await db.deleteFrom('mail').where('id', '=', id).execute()
}

async function compose(deps: MailDeps, row: Selectable<DB['mail']>) {
  const { id, template, recipient: to } = row
  const language = row.language === 'en' ? 'en' : 'ru'
  if (!isTemplate(template)) throw new Error(`there is no letter template ${template}`)
  const brand = await deps.brand()
  const { publicUrl, secrets } = deps
  const data = row.data as unknown as Letters[Template]
  const kind = template === 'payment_refunded' ? 'credit_note' : 'invoice'
  const document = 'invoice' in data ? await deps.documentOf(data.invoice, kind) : null
  const isAttached = document !== null
  const letter = letterOf(template, data, { to, language, brand: brand.name, publicUrl, secrets, isAttached })
  const from: MailAddress = { name: deps.from.name ?? brand.name, address: deps.from.address }
  const { html, text } = await renderLetter(letter, brand, language)
  const pictures = picturesOf(brand)
  const { subject } = letter
  const files = document === null ? [] : [document]
  return { id, date: row.created_at, from, to, subject, html, text, language, pictures, files } as const
}

/** The reason is kept with the letter for the operator; its data is deleted. */
async function giveUp(deps: MailDeps, id: string, reason: string): Promise<void> {
  deps.noteFailure(id, reason)
  await deps.db
    .updateTable('mail')
    .set({ failed_at: deps.now(), failure: reason.slice(0, 500), data: null })
    .where('id', '=', id)
    .execute()
}
