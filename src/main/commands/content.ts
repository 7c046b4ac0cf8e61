/** turnpike content: the operator's public texts. */
import { partNames } from '#contract/desk/choices'
import { readFileSync } from 'node:fs'
import { Argument, type Command } from 'commander'
import { readContent } from '#content'
import type { Content, Part } from '#contract/desk/content'
import { changeContent, resetContent } from '#desk'
import type { Database, Db } from '#db'
import { systemAuthor } from '#staff'
import { bannerCommands } from './banners.ts'
import { CommandFault, json, print, printJson, withServices } from './terminal/command.ts'

interface CommandOptions {
  json?: boolean
}

/**
 * Fields with a single text: part.field, the accent of a theme, or a payment method's description in a
 * language.
 */
const singleField = /^(brand|links)\.([a-z_]+)(?:\.(light|dark))?$|^(payments)\.([a-z][a-z0-9_]*)\.(ru|en)$/

export function contentCommands(turnpike: Command): void {
  const content = turnpike
    .command('content')
    .description('brand, links, rules, reviews, payment texts and banners')
  content
    .command('show', { isDefault: true })
    .addArgument(new Argument('[part]', 'one part only').choices(partNames))
    .addOption(json())
    .description('show the texts in use, the defaults where nothing was set')
    .action((part: Part | undefined, asked: CommandOptions) =>
      withServices(({ database }) => show(database.db, part, asked)),
    )
  content
    .command('set')
    .argument('<field>', 'brand.name, brand.accent.light, links.support, payments.crypto.ru …')
    .argument('<text>', 'the text; for links an address, or "" for none')
    .addOption(json())
    .description('change one text')
    .action((field: string, text: string, asked: CommandOptions) =>
      withServices(async ({ database }) => {
        const { part, change } = changeOf(field, text, await readContent(database.db))
        await store(database, part, change)
        await confirm(database.db, part, asked)
      }),
    )
  for (const part of ['rules', 'reviews'] as const) fileCommand(content, part)
  content
    .command('reset')
    .argument('<what>', `a part (${partNames.join(', ')}) or one field of it, such as links.support`)
    .addOption(json())
    .description('restore the defaults')
    .action((what: string, asked: CommandOptions) =>
      withServices(async ({ database }) => {
        const [name, field, ...rest] = what.split('.')
        const part = partNames.find((one) => one === name)
        if (part === undefined || rest.length > 0) throw new CommandFault(`There is no ${what} to put back.`)
        const order = { part, field: field ?? null }
        await resetContent(database.db, systemAuthor(), order, database.clock.now())
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
    .action((file: string | undefined, asked: CommandOptions) =>
      withServices(async ({ database }) => {
        if (file === undefined) return printJson((await readContent(database.db))[part])
        await store(database, part, readJson(file))
        return confirm(database.db, part, asked)
      }),
    )
}

const store = ({ db, clock }: Database, part: Part, change: unknown) =>
  changeContent(db, systemAuthor(), { part, change }, clock.now())

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    throw new CommandFault(`${file} cannot be read as JSON: ${(error as Error).message}`)
  }
}

/** Pictures are uploaded at the desk. */
const isText = (part: 'brand' | 'links', name: string, now: Content) =>
  name in now[part] && (part === 'links' || ['name', 'logo_text'].includes(name))

/** The part a single field belongs to, and the change of that part. */
function changeOf(field: string, text: string, now: Content): { part: Part; change: object } {
  const [, part, name = '', theme, payments, method = '', language = ''] = singleField.exec(field) ?? []
  if (part === 'brand' && name === 'accent' && theme !== undefined)
    return { part, change: { accent: { ...now.brand.accent, [theme]: text.toLowerCase() } } }
  if (part === 'brand' || part === 'links') {
    if (theme !== undefined || !isText(part, name, now)) {
      const names = Object.keys(now[part])
        .filter((one) => isText(part, one, now))
        .map((one) => `${part}.${one}`)
      throw new CommandFault(`There is no ${field}; there are ${names.join(', ')}.`)
    }
    // The text beside the logo is the name until somebody has given it another one.
    const isName = part === 'brand' && name === 'name' && now.brand.logo_text === now.brand.name
    const withLogo = isName ? { logo_text: text } : {}
    return { part, change: { [name]: part === 'links' && text === '' ? null : text, ...withLogo } }
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

async function confirm(db: Db, part: Part, asked: CommandOptions): Promise<void> {
  if (asked.json) printJson({ [part]: (await readContent(db))[part] })
  else print(`Stored: visitors now see this version of ${part}.`)
}

async function show(db: Db, part: Part | undefined, asked: CommandOptions): Promise<void> {
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
