/** Preloaded into generators of clients and into what they make. */
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    // The generators use the compiler's interface of TypeScript 5, which the one of this repository lacks.
    if (specifier === 'typescript') return next('typescript-5', context)
    // Generated files leave extensions out, as bundlers allow.
    const isGenerated = context.parentURL?.includes('/node_modules/') === false
    if (!isGenerated || !/^\.{1,2}\/[^.]*(\.gen)?$/.test(specifier)) return next(specifier, context)
    try {
      return next(`${specifier}.ts`, context)
    } catch {
      return next(`${specifier}/index.ts`, context)
    }
  },
})
