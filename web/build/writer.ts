/** What `web/prerender.tsx` exports, as far as the build uses it. Types of Node.js and of the browser do not mix. */
export type Language = 'ru' | 'en'

interface PublicPage {
  source: string
  texts: readonly string[]
}

export interface Writer {
  publicPaths: readonly string[]
  publicPages: Readonly<Record<string, PublicPage>>
  localPath: (page: string, language: Language) => string
  writePage: (
    page: string,
    language: Language,
    written: { answers: [] },
  ) => Promise<{ head: string; body: string }>
  fill: (template: string, page: { head: string; body: string; written: null }) => string
}
