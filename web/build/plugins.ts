/** The Vite plugins that the shop's pages and the desk's share. */
import type { HtmlTagDescriptor, Plugin } from 'vite'

/**
 * Preloads the fonts of the first screen: otherwise the browser learns of them from the style sheet, one
 * round trip later.
 */
export function preloadFonts(names: readonly string[]): Plugin {
  return {
    name: 'preload-fonts',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const files = Object.keys(bundle ?? {})
        return names
          .flatMap((name) => files.filter((file) => file.includes(name)))
          .map((file): HtmlTagDescriptor => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: true },
            injectTo: 'head-prepend',
          }))
      },
    },
  }
}

/** A declaration of a call with its name, as the formatter leaves it; the desk's also say what they need. */
const declaration =
  /(\w+): (?:call|deskCall)\(\{\n +method: ('\w+'),\n +path: ('[^']+'),\n +answer: ('\w+'),\n(?: +needs: ('[^']+'),\n)?[^]*?\n {2}\}\)/g

/** What the browser has instead of `call`: most calls are a POST, or one to the path of their name. */
const declaring = 'virtual:declaring'
const declaringCode = `
export const declared = (answer = 'json', method = 'POST', path, needs) => ({ method, path, answer, needs })
export const declaring = (calls, folder) => {
  for (const name in calls) calls[name].path ??= folder + name
  return calls
}`

/**
 * Of the declarations of calls, the browser gets what it needs to make them, and the desk's pages what a
 * member needs for them: the rest is for the server and for tests.
 */
export function declarationsForBrowsers(): Plugin {
  return {
    name: 'declarations-for-browsers',
    enforce: 'pre',
    resolveId: (id) => (id === declaring ? id : null),
    load: (id) => (id === declaring ? declaringCode : null),
    transform(code, id) {
      if (!/\/contract\/[\w/-]+\/calls\.ts$/.test(id)) return null
      const folder = id.includes('/contract/desk/') ? '/' : '/rpc/'
      // What a declaration imports, only the server's part of it names.
      const own = code.replaceAll(/^import .*\n/gm, '')
      const short = own
        .replaceAll(declaration, (_all, name, method, path, answer, needs) => {
          const usual = [`'json'`, `'POST'`, `'${folder}${name}'`, undefined]
          const given = [answer, method, path, needs].map((part, at) =>
            part === usual[at] ? 'void 0' : part,
          )
          return `${name}: declared(${given.join(', ').replace(/(^|, )(void 0(, )?)+$/, '')})`
        })
        .replaceAll(/^(export const \w+ =) \{$/gm, '$1 /*#__PURE__*/ declaring({')
        .replaceAll(/^\}$/gm, `}, '${folder}')`)
      if (/call\(\{/i.test(short))
        throw new Error(`${id} declares a call in another form than the build expects`)
      return { code: `import { declared, declaring } from '${declaring}'\n${short}`, map: null }
    },
  }
}
