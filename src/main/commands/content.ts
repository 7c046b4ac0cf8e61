/** turnpike content: the operator's public texts. */
import { readFileSync } from 'node:fs'
import { Argument, type Command } from 'commander'
import { type Content, type Part, partNames, readContent, resetPart, writePart } from '#content'
import { bannerCommands } from './banners.ts'
import { CommandFault, json, print, printJson, withServices } from './terminal/command.ts'

interface Asked {
  json?: boolean
}

/** Fields with a single text: part.field, or a payment method's description in a language. */
const singleField = /^(brand|links)\.([a-z_]+)$|^(payments)\.([a-z][a-z0-9_]*)\.(ru|en)$/

export function contentCommands(turnpike: Command): void {
  const content = turnpike
    .command('content')
    .description('brand, links, rules, reviews, payment texts and banners')
  content
    .command('show', { isDefault: true })
    .addArgument(new Argument('[part]', 'one part only').choices(partNames))
    .addOption(json())
    .description('what is said now, the program’s own words where nothing was set')
    .action((part: Part | undefined, asked: Asked) =>
      withServices(({ database }) => show(database.db, part, asked)),
    )
  content
    .command('set')
    .argument('<field>', 'brand.name, links.support, payments.crypto.ru …')
    .argument('<text>', 'the text; for links an address, or "" for none')
    .addOption(json())
    .description('change one text')
    .action((field: string, text: string, asked: Asked) =>
      withServices(async ({ database }) => {
        const { part, change } = changeOf(field, text, await readContent(database.db))
        await writePart(database.db, part, change)
        await confirm(database.db, part, asked)
      }),
    )
  for (const part of ['rules', 'reviews'] as const) fileCommand(content, part)
  content
    .command('reset')
    .argument('<what>', `a part (${partNames.join(', ')}) or one field of it, such as links.support`)
    .addOption(json())
    .description('go back to the program’s own words')
    .action((what: string, asked: Asked) =>
      withServices(async ({ database }) => {
        const [name, field, ...rest] = what.split('.')
        const part = partNames.find((one) => one === name)
        if (part === undefined || rest.length > 0) throw new CommandFault(`There is no ${what} to put back.`)
        await resetPart(database.db, part, field ?? null)
        await confirm(database.db, part, asked)
      }),
    )
  bannerCommands(content)
}

/** `content rules` prints the texts as a file; `content rules <file>` replaces them with an edited file. */
function fileCommand(content: Command, part: 'rules' | 'reviews'): void {
  content
    .command(part)
    .argument('[file]', 'a JSON file as this command prints it, or - for standard input')
    .addOption(json())
    .description(`print the ${part} in both languages as JSON, or replace them with a file`)
    .action((file: string | undefined, asked: Asked) =>
      withServices(async ({ database }) => {
        if (file === undefined) return printJson((await readContent(database.db))[part])
        await writePart(database.db, part, readJson(file))
        return confirm(database.db, part, asked)
      }),
    )
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    throw new CommandFault(`${file} cannot be read as JSON: ${(error as Error).message}`)
  }
}

/** The part a single field belongs to, and the change of that part. */
function changeOf(field: string, text: string, now: Content): { part: Part; change: object } {
  const [, part, name = '', payments, method = '', language = ''] = singleField.exec(field) ?? []
  if (part === 'brand' || part === 'links') {
    if (!(name in now[part])) {
      const names = Object.keys(now[part]).map((one) => `${part}.${one}`)
      throw new CommandFault(`There is no ${field}; there are ${names.join(', ')}.`)
    }
    return { part, change: { [name]: part === 'links' && text === '' ? null : text } }
  }
  if (payments !== undefined) {
    // A method has texts in both languages: until the other one is set, this text is used for it too.
    const before = now.payments[method] ?? { ru: text, en: text }
    return { part: 'payments', change: { [method]: { ...before, [language]: text } } }
  }
  throw new CommandFault(
    `“${field}” is no single text: use brand.…, links.… or payments.<method>.<ru|en>; rules and reviews have commands of their own.`,
  )
}

type Db = Parameters<typeof readContent>[0]

async function confirm(db: Db, part: Part, asked: Asked): Promise<void> {
  if (asked.json) printJson({ [part]: (await readContent(db))[part] })
  else print(`Stored: what visitors read in ${part} is this from now on.`)
}

async function show(db: Db, part: Part | undefined, asked: Asked): Promise<void> {
  const content = await readContent(db)
  const shown = part === undefined ? content : { [part]: content[part] }
  if (asked.json) return printJson(shown)
  for (const [path, text] of leaves(shown)) print(`${path}  ${text}`)
}

/** Every text with its path, such as `rules.ru.rules.0.text`. */
function leaves(value: unknown, path: string[] = []): [path: string, text: string][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, one]) => leaves(one, [...path, key]))
  return [[path.join('.'), typeof value === 'string' ? value : '–']]
}
