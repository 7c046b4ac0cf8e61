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
import { type Language, languages } from '#contract/language'
import type { PageData, PageQuery, PageRenderer } from '#contract/page-renderer'
import { fileNameOf, type PublicPath } from '#contract/pages'
import { type Document, documentOf } from './document.ts'

export interface PageWriterOptions {
  webRoot: string
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

export class PageWriter {
  readonly #options: PageWriterOptions
  readonly #pages = new Map<string, Page>()
  readonly #coming = new Map<string, Promise<Document>>()
  #writer: { mtimeMs: number; module: PageRenderer } | undefined

  constructor(options: PageWriterOptions) {
    this.#options = options
  }

  /** A page as of now, or of some seconds ago. Fails when the build left nothing that writes pages. */
  page(page: PublicPath, language: Language): Promise<Document> {
    return this.#fresh(`${language}${page}`, () => this.#write(page, language))
  }

  /** The shell, in which the browser paints all other pages, with what their frame shows. */
  shell(): Promise<Document> {
    return this.#fresh('shell', () => this.#writeShell())
  }

  async #fresh(id: string, write: () => Promise<Document>): Promise<Document> {
    const known = this.#pages.get(id)
    if (known !== undefined && performance.now() - known.writtenAtMs < goodForMs) return known.document
    const coming = this.#coming.get(id) ?? this.#begin(id, write)
    if (known === undefined) return coming
    // The old page goes out; should the new one fail, that is told once and the old one stays good.
    coming.catch((error: unknown) =>
      this.#options.log.warn({ error, page: id }, 'a page could not be written anew'),
    )
    return known.document
  }

  #begin(id: string, write: () => Promise<Document>): Promise<Document> {
    const coming = write()
      .then((document) => {
        this.#pages.set(id, { document, writtenAtMs: performance.now() })
        return document
      })
      .finally(() => this.#coming.delete(id))
    this.#coming.set(id, coming)
    return coming
  }

  async #write(page: PublicPath, language: Language): Promise<Document> {
    const { webRoot, edit } = this.#options
    const writer = await this.#load()
    const file = path.join(webRoot, '.server/templates', language, `${fileNameOf(page)}.html`)
    const template = await readFile(file, 'utf8')
    const data = { answers: await this.#ask(writer.pageQueries(page, language), language) }
    const parts = await writer.renderPage(page, language, data)
    return documentOf(edit(writer.fillTemplate(template, { ...parts, data })))
  }

  async #writeShell(): Promise<Document> {
    const { webRoot, edit } = this.#options
    const writer = await this.#load()
    const shell = await readFile(path.join(webRoot, 'index.html'), 'utf8')
    // The browser alone knows which language these pages are read in.
    const answers = await Promise.all(
      languages.map((language) => this.#ask(writer.layoutQueries(language), language)),
    )
    return documentOf(edit(writer.fillShell(shell, { answers: answers.flat() })))
  }

  /** What is not known is asked for by the browser, which shows that it is on its way. */
  async #ask(queries: PageQuery[], language: Language): Promise<PageData['answers']> {
    const asked = await Promise.all(
      queries.map(async ({ key, name, input }): Promise<PageData['answers'][number]> => [
        key,
        await this.#options.ask(name, input, language),
      ]),
    )
    return asked.filter(([, answer]) => answer !== undefined)
  }

  /** The pages can be built anew under a running server; then they are written by the new build. */
  async #load(): Promise<PageRenderer> {
    const file = path.join(this.#options.webRoot, '.server/prerender.js')
    const { mtimeMs } = await stat(file)
    if (this.#writer?.mtimeMs === mtimeMs) return this.#writer.module
    const module = (await import(`${pathToFileURL(file).href}?built=${mtimeMs}`)) as PageRenderer
    this.#writer = { mtimeMs, module }
    return module
  }
}
