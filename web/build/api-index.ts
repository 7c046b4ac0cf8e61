/** The calls of the API by subject, for the documentation's contents: read when the pages are built. */
import type { Plugin } from 'vite'
import { tags } from '../../contract/docs.ts'
import { descriptions } from '../../contract/openapi/descriptions.ts'
import { type Name, wire } from '../../contract/wire.ts'

const name = 'virtual:api-index'

function apiIndex() {
  const calls = Object.entries(descriptions) as [Name, (typeof descriptions)[Name]][]
  return Object.entries(tags).map(([tag, texts]) => ({
    id: tag.toLowerCase().replaceAll(' ', '-'),
    ...texts,
    calls: calls
      .filter(([, description]) => description.tag === tag)
      .map(([call, { summary }]) => ({
        name: call,
        method: wire[call].method,
        path: `/api${wire[call].path}`,
        summary,
      })),
  }))
}

/** Provides `virtual:api-index`. */
export function apiContents(): Plugin {
  return {
    name: 'api-index',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export default ${JSON.stringify(apiIndex())}` : null),
  }
}
