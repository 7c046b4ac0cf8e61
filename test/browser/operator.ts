/** The operator's command line, and the letters sent by the shop: for tests that need either. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ParsedMail, simpleParser } from 'mailparser'
import { turnpike as runTurnpike } from '#test/stack'
import { expect, origin } from './shop.ts'

const dataDir = () => process.env['TEST_DATA_DIR'] ?? ''

/** `turnpike …` on the data of the shop under test. */
export const turnpike = (...parameters: string[]) =>
  runTurnpike({ DATA_DIR: dataDir(), PUBLIC_URL: origin() }, ...parameters)

/** The link of a letter to an address, once the letter has arrived. */
export async function linkTo(address: string, part: string): Promise<string> {
  let link: string | undefined
  await expect(async () => {
    const letters = await lettersTo(address)
    link = letters.flatMap(({ text }) => (text ?? '').split(/\s+/)).findLast((word) => word.includes(part))
    expect(link).toBeDefined()
  }).toPass({ timeout: 20_000 })
  return link ?? ''
}

async function lettersTo(address: string): Promise<ParsedMail[]> {
  const outbox = path.join(dataDir(), 'outbox')
  const files = readdirSync(outbox, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.eml'),
  )
  const letters = await Promise.all(files.map((file) => simpleParser(readFileSync(path.join(outbox, file)))))
  return letters
    .filter(({ to }) => JSON.stringify(to ?? '').includes(address))
    .toSorted((a, b) => (a.date?.getTime() ?? 0) - (b.date?.getTime() ?? 0))
}
