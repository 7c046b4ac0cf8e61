/**
 * Public pages with what is true now: the operator's words, prices, countries, offers. The build leaves behind what
 * writes them (`.server/prerender.js`) and a template per page; here the answers are asked for and put in. A page is
 * good for some seconds; after that it is still sent, while a new one is being written.
 */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Name } from '#contract/contract'
import { type Document, documentOf } from './document.ts'

export type Language = 'ru' | 'en'

interface Known {
  answers: [key: unknown, answer: unknown][]
  host: string
}

/** What the build exports: web/prerender.tsx. */
interface Writer {
  neededOn: (page: string, language: Language) => { key: unknown; name: Name; input: object }[]
  writePage: (page: string, language: Language, known: Known) => Promise<{ head: string; body: string }>
  fill: (template: string, page: { head: string; body: string; written: Known }) => string
}

export interface PageWriterOptions {
  webRoot: string
  /** The name customers reach the shop by. */
  host: string
  /** Asks the shop itself; undefined when it does not know. */
  ask: (name: Name, input: object, language: Language) => Promise<unknown>
  /** The last touch on a page's text. */
  edit: (text: string) => string
  log: FastifyBaseLogger
}

interface Page {
  document: Document
  writtenAtMs: number
}

const goodForMs = 10_000

/** Under which a page's files are kept: `/` is home. */
export const nameOf = (page: string) => (page === '/' ? 'home' : page.slice(1))

export class PageWriter {
  readonly #options: PageWriterOptions
  readonly #pages = new Map<string, Page>()
  readonly #coming = new Map<string, Promise<Document>>()
  #writer: { mtimeMs: number; module: Writer } | undefined

  constructor(options: PageWriterOptions) {
    this.#options = options
  }

  /** A page as of now, or of some seconds ago. Fails when the build left nothing that writes pages. */
  async page(page: string, language: Language): Promise<Document> {
    const id = `${language}${page}`
    const known = this.#pages.get(id)
    if (known !== undefined && performance.now() - known.writtenAtMs < goodForMs) return known.document
    const coming = this.#coming.get(id) ?? this.#begin(id, page, language)
    if (known === undefined) return coming
    // The old page goes out; should the new one fail, that is told once and the old one stays good.
    coming.catch((error: unknown) =>
      this.#options.log.warn({ error, page }, 'a page could not be written anew'),
    )
    return known.document
  }

  #begin(id: string, page: string, language: Language): Promise<Document> {
    const coming = this.#write(page, language)
      .then((document) => {
        this.#pages.set(id, { document, writtenAtMs: performance.now() })
        return document
      })
      .finally(() => this.#coming.delete(id))
    this.#coming.set(id, coming)
    return coming
  }

  async #write(page: string, language: Language): Promise<Document> {
    const { webRoot, host, ask, edit } = this.#options
    const writer = await this.#load()
    const file = path.join(webRoot, '.server/templates', language, `${nameOf(page)}.html`)
    const template = await readFile(file, 'utf8')
    const asked = await Promise.all(
      writer
        .neededOn(page, language)
        .map(async ({ key, name, input }): Promise<[unknown, unknown]> => [
          key,
          await ask(name, input, language),
        ]),
    )
    // What is not known is asked for by the browser, which shows that it is on its way.
    const written: Known = { answers: asked.filter(([, answer]) => answer !== undefined), host }
    const parts = await writer.writePage(page, language, written)
    return documentOf(edit(writer.fill(template, { ...parts, written })))
  }

  /** The pages can be built anew under a running server; then they are written by the new build. */
  async #load(): Promise<Writer> {
    const file = path.join(this.#options.webRoot, '.server/prerender.js')
    const { mtimeMs } = await stat(file)
    if (this.#writer?.mtimeMs === mtimeMs) return this.#writer.module
    const module = (await import(`${pathToFileURL(file).href}?built=${mtimeMs}`)) as Writer
    this.#writer = { mtimeMs, module }
    return module
  }
}
