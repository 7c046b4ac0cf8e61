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

/** A declaration of a call with its name, as the formatter leaves it. */
const declaration =
  /(\w+): call\(\{\n +method: ('\w+'),\n +path: ('[^']+'),\n +answer: ('\w+'),\n[^]*?\n {2}\}\)/g

/** What the browser has instead of `call`: most calls are a POST to the path of their name, answered in JSON. */
const declaring = 'virtual:declaring'
const declaringCode = `
export const declared = (answer = 'json', method = 'POST', path) => ({ method, path, answer })
export const declaring = (calls) => {
  for (const name in calls) calls[name].path ??= '/rpc/' + name
  return calls
}`

/**
 * Of the declarations of calls, the browser gets what it needs to make them: the rest is for the server and
 * for tests.
 */
export function declarationsForBrowsers(): Plugin {
  return {
    name: 'declarations-for-browsers',
    enforce: 'pre',
    resolveId: (id) => (id === declaring ? id : null),
    load: (id) => (id === declaring ? declaringCode : null),
    transform(code, id) {
      if (!/\/contract\/[\w/-]+\/calls\.ts$/.test(id)) return null
      // What a declaration imports, only the server's part of it names.
      const own = code.replaceAll(/^import .*\n/gm, '')
      const short = own
        .replaceAll(declaration, (_all, name, method, path, answer) => {
          const given = [answer, method, path === `'/rpc/${name}'` ? '' : path].join(', ')
          return `${name}: declared(${given.replace(/^'json', 'POST', $/, '')})`
        })
        .replaceAll(/^(export const \w+ =) \{$/gm, '$1 /*#__PURE__*/ declaring({')
        .replaceAll(/^\}$/gm, '})')
      if (short.includes('call({'))
        throw new Error(`${id} declares a call in another form than the build expects`)
      return { code: `import { declared, declaring } from '${declaring}'\n${short}`, map: null }
    },
  }
}
