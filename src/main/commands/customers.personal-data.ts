/** turnpike customers export and erase: a person's data as a whole. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { AccountLine } from '#accounts'
import { trafficText } from '#contract/traffic'
import type { Database } from '#db'
import { eraseCustomer } from '#desk'
import { forgetAnswers } from '#http/answers'
import { usdText } from '#lib/money'
import { type ErasurePreview, exportName, exportPerson, previewErasure } from '#personal-data'
import { systemAuthor } from '#staff'
import { CommandFault, print, printJson, withServices } from './terminal/command.ts'
import { type ConfirmOptions, mayProceed } from './terminal/confirm.ts'
import { recordDone } from './terminal/recorded.ts'

type Find = (database: Database, name: string) => Promise<AccountLine>

export interface ExportOptions {
  reason: string
  to: string
  json?: boolean
}

/** Writes the data of a customer into a file that only this user of the system can read. */
export function exportCustomerData(
  find: Find,
  name: string,
  { reason, to, json }: ExportOptions,
): Promise<void> {
  return withServices(async ({ database }) => {
    const { id } = await find(database, name)
    const now = database.clock.now()
    const file = path.resolve(to, exportName(id, now))
    await recordDone(database, {
      action: 'export_customer',
      subject: { kind: 'customer', id: String(id) },
      accountId: id,
      reason,
    })
    const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
    await pipeline(exportPerson(database.db, id, now), out).catch(async (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new CommandFault(`${file} exists already.`)
      await rm(file, { force: true })
      throw error
    })
    if (json === true) printJson({ user_id: id, file })
    else print(`Written to ${file}. It holds all that the shop knows of the person: keep it from others.`)
  })
}

export interface ErasureOptions extends ConfirmOptions {
  reason: string
  writeOff?: boolean
}

/** Shows what an erasure removes and keeps, and does it once that is confirmed. */
export function eraseCustomerData(find: Find, name: string, asked: ErasureOptions): Promise<void> {
  return withServices(async ({ database, secrets }) => {
    const { id } = await find(database, name)
    const { reason, writeOff: writesOff = false } = asked
    const preview = await previewErasure(database.db, id)
    if (!(await mayProceed(sentencesOf(id, preview, writesOff), asked))) return
    const act = { accountId: id, writesOff, reason, seen: preview }
    const done = await eraseCustomer(
      database,
      { secrets, forgetAnswers },
      systemAuthor(),
      act,
      database.clock.now(),
    )
    if (asked.json === true) printJson({ user_id: id, ...done })
    else print(`The data of account ${id} is erased; records of connections are being deleted.`)
  })
}

const fates = [
  ['removed', 'Is removed'],
  ['anonymised', 'Stays without what names the person'],
  ['kept', 'Stays in the books'],
] as const

function sentencesOf(id: bigint, { parts, obstacles, left }: ErasurePreview, writesOff: boolean): string[] {
  const amounts = [...left.traffic].map(([pool, bytes]) => `${trafficText(bytes)} ${pool}`)
  if (left.micros > 0n) amounts.push(`${usdText(left.micros, 2)} USD`)
  return [
    `The data of account ${id} is erased for ever, its tunnels are cut, and nobody can sign in to it again.`,
    ...fates.flatMap(([fate, words]) => {
      const those = parts.filter(({ atErasure }) => atErasure === fate)
      if (those.length === 0) return []
      return [`${words}: ${those.map(({ name, rows }) => `${name} (${rows})`).join(', ')}.`]
    }),
    ...(amounts.length === 0
      ? []
      : [
          `On the balances: ${amounts.join(', ')}. ${writesOff ? 'It is written off.' : 'Give it back, or add --write-off.'}`,
        ]),
    ...obstacles.map(({ obstacle, numbers }) => `To settle first (${obstacle}): ${numbers.join(', ')}.`),
  ]
}
