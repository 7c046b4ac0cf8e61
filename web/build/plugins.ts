/** The Vite plugins that the shop's pages and the desk's share. */
import type { Members } from '#contract/acting/roles'
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

/** What the browser has instead of `call` and its kinds: most calls are a POST, or one to the path of their name. */
const declaring = 'virtual:declaring'
const declaringCode = `
export const declared = (answer = 'json', method = 'POST', path, needs) => ({ method, path, answer, needs })
const roles = { a: 'admin', b: 'billing', p: 'proxies', v: 'viewer' }
const whose = (who) => (who === undefined ? 'self' : who === '' ? 'owner' : [...who].map((each) => roles[each]))
export const declaredOf = (who, ...given) => ({ ...declared(...given), members: whose(who) })
export const declaring = (calls) => {
  for (const name in calls) calls[name].path ??= '/rpc/' + name
  return calls
}`

type Declared = Record<
  string,
  { answer: string; method: string; path?: string; needs?: string; members?: Members }
>

/** The roles of members by their first letters; undefined: any, empty: none. */
const rolesOf = (members: Members = 'public') =>
  typeof members === 'string'
    ? members === 'owner'
      ? ''
      : undefined
    : members.map((role) => role[0]).join('')

/**
 * Of the declarations of calls, the browser gets what it needs to make them, and the desk's pages what a
 * member needs for them, those of staff and those of teams: the rest is for the server and for tests.
 */
export function declarationsForBrowsers(): Plugin {
  return {
    name: 'declarations-for-browsers',
    enforce: 'pre',
    resolveId: (id) => (id === declaring ? id : null),
    load: (id) => (id === declaring ? declaringCode : null),
    async transform(_code, id) {
      if (!/\/contract\/[\w/-]+\/calls\.ts$/.test(id)) return null
      const isDesk = id.includes('/contract/desk/')
      const wires = Object.entries((await import(id)) as Record<string, Declared>).map(([wire, calls]) => {
        const short = `{\n${shortOf(calls, isDesk)}}`
        return `export const ${wire} = ${isDesk ? short : `/*#__PURE__*/ declaring(${short})`}\n`
      })
      return {
        code: `import { declared, declaredOf, declaring } from '${declaring}'\n${wires.join('')}`,
        map: null,
      }
    },
  }
}

function shortOf(calls: Declared, isDesk: boolean): string {
  return Object.entries(calls)
    .map(([name, { answer, method, path, needs, members }]) => {
      const usual = ['json', 'POST', `/rpc/${name}`, undefined]
      const given = [answer, method, path, needs].map((part, at) =>
        part === undefined || part === usual[at] ? 'void 0' : `'${part}'`,
      )
      const roles = rolesOf(members)
      const all = isDesk ? given : [roles === undefined ? 'void 0' : `'${roles}'`, ...given]
      const made = isDesk ? 'declared' : 'declaredOf'
      return `${name}: ${made}(${all.join(', ').replace(/(^|, )(void 0(, )?)+$/, '')}),\n`
    })
    .join('')
}
