/** The program `turnpike`: its first lines, before anything else is loaded. */
import { resolveOwnImports } from '../process/own.imports.ts'

resolveOwnImports()
const { runCommandLine } = await import('./program.ts')
await runCommandLine()
