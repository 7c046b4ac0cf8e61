/**
 * Public pages with current data: the operator's texts, prices, countries, offers. The build makes a renderer
 * (`.server/prerender.js`) and a template for each page; here the data is requested and inserted. A page is
 * fresh for some seconds; after that it is still sent while a new one is rendered, but none older than a minute.
 */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Name } from '#contract/contract'
import { fileNameOfFrame, type Frame } from '#contract/frames/frames'
import { type Language, languages } from '#contract/language'
import type { PageData, PageQuery, PageRenderer } from '#contract/page-renderer'
import { fileNameOf, type PublicPath } from '#contract/pages'
import { type Document, documentOf } from './document.ts'

export interface PageWriterOptions {
  webRoot: string
  /** Requests data from the shop itself; undefined when there is none. */
  ask: (name: Name, input: object, language: Language) => Promise<unknown>
  /** Completes the text of a page. */
  edit: (text: string) => string
  log: FastifyBaseLogger
}

interface Page {
  document: Document
  writtenAtMs: number
}

const goodForMs = 10_000
/** Older pages would show prices and notices of an hour ago to the first visitor after a quiet time. */
const sentForMs = 60_000

export class PageWriter {
  readonly #options: PageWriterOptions
  readonly #pages = new Map<string, Page>()
  readonly #coming = new Map<string, Promise<Document>>()
  #writer: { mtimeMs: number; module: PageRenderer } | undefined

  constructor(options: PageWriterOptions) {
    this.#options = options
  }

  /** The page, current or some seconds old. Fails when the build has no renderer. */
  page(page: PublicPath, language: Language): Promise<Document> {
    return this.#fresh(`${language}${page}`, () =>
      this.#write(page, language, fileNameOf(page), ({ pageQueries }) => pageQueries(page, language)),
    )
  }

  /** The frame of a private page. It contains nothing about the visitor, and is the same for all. */
  frame(frame: Frame, language: Language): Promise<Document> {
    return this.#fresh(`${language}${frame}`, () =>
      this.#write(frame, language, fileNameOfFrame(frame), ({ layoutQueries }) => layoutQueries(language)),
    )
  }

  /** The shell, in which the browser renders all other pages, with the data of their frame. */
  shell(): Promise<Document> {
    return this.#fresh('shell', () => this.#writeShell())
  }

  async #fresh(id: string, write: () => Promise<Document>): Promise<Document> {
    const known = this.#pages.get(id)
    const ageMs = known === undefined ? 0 : performance.now() - known.writtenAtMs
    if (known !== undefined && ageMs < goodForMs) return known.document
    const coming = this.#coming.get(id) ?? this.#begin(id, write)
    if (known === undefined) return coming
    // Until the new page is rendered, the old one is sent. A failure to render is logged once, and the old
    // page stays.
    coming.catch((error: unknown) =>
      this.#options.log.warn({ error, page: id }, 'a page could not be written anew'),
    )
    return ageMs < sentForMs ? known.document : coming.catch(() => known.document)
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

  async #write(
    page: PublicPath | Frame,
    language: Language,
    fileName: string,
    queriesOf: (writer: PageRenderer) => PageQuery[],
  ): Promise<Document> {
    const { webRoot, edit } = this.#options
    const writer = await this.renderer()
    const file = path.join(webRoot, '.server/templates', language, `${fileName}.html`)
    const template = await readFile(file, 'utf8')
    const data = { answers: await this.#ask(queriesOf(writer), language) }
    const parts = await writer.renderPage(page, language, data)
    return documentOf(edit(writer.fillTemplate(template, { ...parts, data })))
  }

  async #writeShell(): Promise<Document> {
    const { webRoot, edit } = this.#options
    const writer = await this.renderer()
    const shell = await readFile(path.join(webRoot, 'index.html'), 'utf8')
    // Only the browser knows the language of these pages.
    const answers = await Promise.all(
      languages.map((language) => this.#ask(writer.layoutQueries(language), language)),
    )
    return documentOf(edit(writer.fillShell(shell, { answers: answers.flat() })))
  }

  /** Data that is missing is requested by the browser, which shows that it is loading. */
  async #ask(queries: PageQuery[], language: Language): Promise<PageData['answers']> {
    const asked = await Promise.all(
      queries.map(async ({ key, name, input }): Promise<PageData['answers'][number]> => [
        key,
        await this.#options.ask(name, input, language),
      ]),
    )
    return asked.filter(([, answer]) => answer !== undefined)
  }

  /** The pages can be rebuilt under a running server; they are then rendered by the new build. */
  async renderer(): Promise<PageRenderer> {
    const file = path.join(this.#options.webRoot, '.server/prerender.js')
    const { mtimeMs } = await stat(file)
    if (this.#writer?.mtimeMs === mtimeMs) return this.#writer.module
    const module = (await import(`${pathToFileURL(file).href}?built=${mtimeMs}`)) as PageRenderer
    this.#writer = { mtimeMs, module }
    return module
  }
}
