/**
 * Replaces one exported function of one module by that of another, for `node --import`. PLANTED_MODULE and
 * PLANTED_FAULT are paths from the root, PLANTED_SYMBOL is the name that both export. The fault imports the
 * right function from the module as usual. A module or a function that does not exist ends the process with
 * the error of the import.
 */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')

function given(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is missing`)
  return value
}

const symbol = given('PLANTED_SYMBOL')
const [target, fault] = ['PLANTED_MODULE', 'PLANTED_FAULT'].map(
  (name) => pathToFileURL(path.join(root, given(name))).href,
)
const [planted, original] = [`${target}?planted`, `${target}?original`]

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    if (resolved.url !== target) return resolved
    return { ...resolved, url: context.parentURL === fault ? original : planted }
  },
  load(url, context, next) {
    if (url !== planted) return next(url, context)
    const source = `
      import { ${symbol} as right } from '${original}'
      import { ${symbol} } from '${fault}'
      if (right === ${symbol}) throw new Error('${symbol} is not replaced')
      export * from '${original}'
      export { ${symbol} }`
    return { format: 'module', source, shortCircuit: true }
  },
})

await import(planted)
